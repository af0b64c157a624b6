-- Accounts before tenants.
DROP TABLE memberships, user_tenants, users;
