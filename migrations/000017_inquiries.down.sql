-- Inquiries refer to routes and contacts.
DROP TABLE inquiries;
