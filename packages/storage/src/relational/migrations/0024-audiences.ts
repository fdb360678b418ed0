import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * Audiences, and who is in them as of when they were computed last. `query` is JSON text, whose order of names stays. Members
 * are profiles as they were then; one that was merged or is gone leaves the next time.
 *
 * `trait_text` is the text of a JSON string, or `true` and `false`; `trait_texts` are the texts in a list; `trait_number` is a number,
 * or a text that is one. All of them are null, or empty, for anything else, and never fail: values come from outside, and
 * a text with a NUL in it is none.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
create table audiences (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  title text not null,
  query text not null,
  version integer not null default 1,
  state text not null default 'preparing' check (state in ('preparing','computing','live','failed')),
  failure text not null default '',
  size integer,
  entered_count integer not null default 0,
  left_count integer not null default 0,
  as_of timestamptz,
  author_id uuid references users on delete set null,
  create_time timestamptz not null,
  update_time timestamptz not null
);
create index audiences_workspace on audiences (workspace_id, create_time, id);

create table audience_members (
  audience_id uuid not null references audiences on delete cascade,
  profile_id uuid not null,
  enter_time timestamptz not null,
  primary key (audience_id, profile_id)
);
create index audience_members_newest on audience_members (audience_id, enter_time, profile_id);

create function trait_text(value text) returns text language plpgsql immutable parallel safe as $function$
begin
  if value in ('true', 'false') then return value; end if;
  if value is null or left(value, 1) <> '"' then return null; end if;
  if strpos(value, '\\') = 0 then return substr(value, 2, length(value) - 2); end if;
  begin
    return value::json #>> '{}';
  exception when others then
    return null;
  end;
end $function$;

create function trait_texts(value text) returns text[] language plpgsql immutable parallel safe as $function$
begin
  if value is null or left(value, 1) <> '[' then return '{}'; end if;
  begin
    return array(
      select item #>> '{}' from json_array_elements(value::json) as item where json_typeof(item) = 'string');
  exception when others then
    return '{}';
  end;
end $function$;

create function trait_number(value text) returns float8 language plpgsql immutable parallel safe as $function$
declare written text := value;
begin
  if left(value, 1) = '"' then
    written := trait_text(value);
    if written !~ '^-?[0-9]{1,15}(\\.[0-9]{1,15})?$' then return null; end if;
  elsif value !~ '^-?[0-9]{1,200}(\\.[0-9]{1,200})?([eE][+-]?[0-9]{1,2})?$' then
    return null;
  end if;
  return written::float8;
end $function$;
`.execute(db)
}
