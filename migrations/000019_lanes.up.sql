-- Operations that must run in order: one dialog at one connection. The row lock makes commit order lane order.
CREATE TABLE lanes (
    tenant_id     uuid NOT NULL,
    connection_id uuid NOT NULL,
    key           uuid NOT NULL,
    last_seq      bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, connection_id, key),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES connections (tenant_id, id)
) WITH (fillfactor = 70);
SELECT make_tenant_table('lanes');
GRANT SELECT, INSERT, UPDATE ON lanes TO sverka_app;
