-- One business conversation of a contact on a route; it becomes one lead or deal.
CREATE TABLE inquiries (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    route_id    uuid NOT NULL,
    contact_id  uuid NOT NULL,
    state       text NOT NULL DEFAULT 'open',
    opened_at   timestamptz NOT NULL DEFAULT now(),
    last_at     timestamptz NOT NULL DEFAULT now(),
    closed_at   timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, route_id) REFERENCES routes (tenant_id, id),
    FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id),
    CONSTRAINT inquiry_state_is_known CHECK (state IN ('open', 'closed')),
    CONSTRAINT closed_has_a_time CHECK ((state = 'closed') = (closed_at IS NOT NULL))
);
CREATE INDEX inquiries_of_a_contact ON inquiries (tenant_id, route_id, contact_id, last_at);
SELECT make_tenant_table('inquiries');
GRANT SELECT, INSERT, UPDATE ON inquiries TO sverka_app;
