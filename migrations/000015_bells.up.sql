-- The one outstanding wake-up of an owner; a River job only carries its sound (docs/architecture.md, Bells).
CREATE TABLE bells (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    kind        text NOT NULL,
    owner_id    uuid NOT NULL,
    rung        bool NOT NULL DEFAULT false,
    rung_at     timestamptz,
    job_id      bigint,
    drain_until timestamptz,
    PRIMARY KEY (tenant_id, kind, owner_id),
    CONSTRAINT bell_kind_is_known CHECK (kind IN ('interpret', 'perform')),
    CONSTRAINT rung_has_a_time CHECK (NOT rung OR rung_at IS NOT NULL)
) WITH (fillfactor = 50);
CREATE INDEX bells_rung ON bells (rung_at) WHERE rung;
CREATE INDEX bells_draining ON bells (drain_until) WHERE drain_until IS NOT NULL;
SELECT make_tenant_table('bells');
CREATE POLICY bells_for_intake ON bells TO sverka_intake USING (true);
CREATE POLICY bells_for_scan ON bells TO sverka_scan USING (true);
GRANT SELECT, INSERT, UPDATE ON bells TO sverka_app, sverka_intake, sverka_scan;
