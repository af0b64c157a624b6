-- Bells stand alone.
DROP TABLE bells;
