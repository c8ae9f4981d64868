-- statement: all
select kind, injection_order, section from kinds order by injection_order, kind;
