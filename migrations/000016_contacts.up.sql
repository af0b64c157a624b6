-- A person, and the marks by which a person is recognised. Values are sealed; they are looked up by HMAC.
CREATE TABLE contacts (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    id          uuid NOT NULL,
    name_sealed bytea,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
SELECT make_tenant_table('contacts');
GRANT SELECT, INSERT, UPDATE ON contacts TO sverka_app;

-- A phone may belong to several people (a shared number); a user id at a source belongs to one.
CREATE TABLE contact_identities (
    tenant_id  uuid NOT NULL,
    kind       text NOT NULL,
    lookup     bytea NOT NULL,
    contact_id uuid NOT NULL,
    sealed     bytea NOT NULL,
    verified   bool NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, kind, lookup, contact_id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id),
    CONSTRAINT lookup_is_an_hmac CHECK (length(lookup) = 32),
    CONSTRAINT identity_kind_is_known CHECK (kind IN ('telegram', 'partner', 'phone', 'email'))
);
CREATE UNIQUE INDEX one_contact_per_user_id ON contact_identities (tenant_id, kind, lookup) WHERE kind IN ('telegram', 'partner');
CREATE INDEX identities_of_a_contact ON contact_identities (tenant_id, contact_id);
SELECT make_tenant_table('contact_identities');
GRANT SELECT, INSERT, UPDATE, DELETE ON contact_identities TO sverka_app;
