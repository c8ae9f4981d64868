-- First-person memories count as recent for as long as episodes do; a number that somebody has set stays.
update kinds set tau_days = 7 where kind = 'narrative' and tau_days = 30;

-- Who links two facts by hand need not say when. A default changes nothing that is stored: sqlite.org/lang_altertable.html, 7.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, 'created_at text not null,', 'created_at text not null default (strftime(''%Y-%m-%dT%H:%M:%fZ'', ''now'')),')
where type = 'table' and name = 'links';
pragma writable_schema = off;
