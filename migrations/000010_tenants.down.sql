-- Tenants go last of ours.
DROP TABLE tenant_keys, tenant_slugs, tenants;
