-- Identities refer to contacts.
DROP TABLE contact_identities, contacts;
