-- The leaves of a filter: each gives, as one JSON array, the records of a collection for which one comparison holds.

-- statement: everything
select json_group_array(id) as records from collection_records where collection = :collection;

-- statement: named
select json_group_array(r.id) as records
from json_each(:ids) as named
cross join collection_records as r on r.collection = :collection and r.record_id = named.value;

-- statement: equal
select json_group_array(record) as records
from collection_metadata
where collection = :collection and key = :key and type = :type and value = :value and place = -1;

-- statement: compare
select json_group_array(record) as records
from collection_metadata
where
  collection = :collection and key = :key and type = 'number' and place = -1
  and case :operator
    when '$gt' then value > :value
    when '$gte' then value >= :value
    when '$lt' then value < :value
    when '$lte' then value <= :value
  end;

-- A list of whole numbers does not contain 1.0, nor one of broken numbers 1.
-- statement: contains
select json_group_array(distinct record) as records
from collection_metadata
where
  collection = :collection and key = :key and type = :type and value = :value and place >= 0
  and typeof(value) = typeof(:value);

-- statement: document_is
select json_group_array(id) as records from collection_records where collection = :collection and document = :text;

-- statement: uri_is
select json_group_array(id) as records from collection_records where collection = :collection and uri = :text;

-- statement: document_contains
select json_group_array(id) as records from collection_records where collection = :collection and instr(document, :text) > 0;

-- Those that may match a regular expression, in which these two texts must stand; an empty one does everywhere.
-- statement: documents
select id, document
from collection_records
where collection = :collection and instr(document, :text) > 0 and instr(document, :other) > 0;
