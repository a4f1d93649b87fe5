-- Documents are inserted as columns, which costs no more than rows of equal hours that the engine expands: nothing writes to this table.
DROP VIEW IF EXISTS even_hours_view;
DROP TABLE IF EXISTS even_hours;
