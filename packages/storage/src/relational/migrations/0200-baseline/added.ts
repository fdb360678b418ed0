/**
 * What the schema of version 0.2.0 has in addition to that of the last commit of version 0.1.
 *
 * - `trait_decimal` is a number, or a text that is one, with all its digits.
 * - `trait_holders` are the names of traits that may contain a trait whose name has dots: that trait, and every object
 *   around it.
 * - `trait_within` is the value of a trait inside such a containing trait, as JSON text; '' if the value was too large
 *   to be stored.
 * - `trait_is_set` is whether a value is more than null, and an object more than nulls.
 */
export const addedSql = String.raw`
create function trait_members(value text) returns table (key text, member text) language plpgsql immutable parallel safe
as $function$
begin
  if value is null or left(value, 1) <> '{' then return; end if;
  begin
    return query select each.key, each.value::text from json_each(value::json) as each;
  exception when others then
    -- A text that PostgreSQL cannot have, such as one with a NUL: escapes are taken for what they look like.
    begin
      return query select each.key, each.value::text from json_each(replace(value, '\u', '\\u')::json) as each;
    exception when others then
      return;
    end;
  end;
end $function$;

create function trait_part(value text, path text) returns text language plpgsql immutable parallel safe as $function$
declare
  member record;
  part text;
  result text;
begin
  -- Objects that name no step of the path are not parsed.
  if value is null or left(value, 1) <> '{' then return null; end if;
  for member in select * from trait_members(value) loop
    part := case
      when member.key = path then member.member
      when starts_with(path, member.key || '.') then trait_part(member.member, substr(path, length(member.key) + 2))
    end;
    -- Of doubled names the last one counts.
    result := coalesce(part, result);
  end loop;
  return result;
end $function$;

create function trait_holders(name text) returns text[] language sql immutable parallel safe as $$
  select array_agg(array_to_string(steps[1:count], '.') order by count desc)
  from (select string_to_array(name, '.') as steps) as named, generate_series(1, array_length(steps, 1)) as count
$$;

create function trait_within(holder text, name text, value text) returns text language plpgsql immutable parallel safe
as $function$
begin
  if holder = name then return coalesce(value, ''); end if;
  if starts_with(name, holder || '.') then return trait_part(value, substr(name, length(holder) + 2)); end if;
  return null;
end $function$;

create function trait_is_set(value text) returns boolean language plpgsql immutable parallel safe as $function$
begin
  if value is null or value = 'null' then return false; end if;
  if left(value, 1) <> '{' then return true; end if;
  return exists (select from trait_members(value) as each where trait_is_set(each.member));
end $function$;

create function trait_decimal(value text) returns numeric language plpgsql immutable parallel safe as $function$
declare
  written text := value;
  power text;
begin
  if left(value, 1) = '"' then
    written := trait_text(value);
    if written is null or length(written) > 202 or written !~ '^-?[0-9]+(?:\.[0-9]+)?$' then return null; end if;
    return written::numeric;
  end if;
  if value is null or value = '' or length(value) > 1000 then return null; end if;
  if translate(value, '0123456789', '') = '' then return value::numeric; end if;
  if value !~ '^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$' then return null; end if;
  power := split_part(lower(value), 'e', 2);
  if length(power) <= 4 then return value::numeric; end if;
  -- Beyond all numbers that are compared with it, whose digits are few.
  if split_part(lower(value), 'e', 1)::numeric = 0 then return 0; end if;
  return (case when left(value, 1) = '-' then '-1e' else '1e' end || case when left(power, 1) = '-' then '-9999' else '9999' end)::numeric;
end $function$;

-- The latest round of rewriting the files of the database.
-- The newest round in which the files of an embedded database are rewritten, for all requests together. An unfinished one is tried again at next_time.
create table file_rounds (
  start_time timestamptz primary key,
  -- The tables that are already rewritten, with their schemas, quoted.
  done_tables text[] not null default '{}',
  tries integer not null default 0,
  -- When an unfinished round is retried.
  next_time timestamptz not null,
  end_time timestamptz
);

-- Work that blocked a thread until that was ended.
-- An item is always named by the same text. With hold_time it is skipped until a user releases it, which removes the row.
create table held_work (
  id uuid primary key,
  -- The name that always identifies the work.
  item text not null unique,
  workspace_id uuid references workspaces on delete cascade,
  thread text not null,
  step text not null,
  -- One entry for each time that the work blocked a thread.
  blocks uuid[] not null,
  block_time timestamptz not null,
  -- When the work began to be skipped.
  hold_time timestamptz
);
create index held_work_workspace on held_work (workspace_id);

-- Retries of held work by users in the last 24 hours. An item is a hash of what names the work.
create table work_releases (
  id uuid primary key,
  -- A hash of the name of the work.
  item text not null,
  workspace_id uuid not null references workspaces on delete cascade,
  release_time timestamptz not null
);
create index work_releases_item on work_releases (item);
create index work_releases_time on work_releases (release_time);
create index work_releases_workspace on work_releases (workspace_id);

-- Positions of consumers whose journal is in a data folder, for the case that the folder is lost.
create table kept_places (
  consumer text not null,
  partition integer not null,
  next bigint not null,
  incarnation text,
  note text not null default '',
  primary key (consumer, partition)
);
`

/** The columns that tables of version 0.1 lack. The baseline creates these tables with them. */
export const addedColumnsSql = `
alter table set_password_tokens add column session_id uuid references sessions on delete cascade;
create index set_password_tokens_session on set_password_tokens (session_id) where session_id is not null;
alter table replays add column time_by text not null default 'receive_time';
alter table privacy_requests
  add column files_time timestamptz,
  add column files_error text not null default '',
  add column files_round timestamptz;
alter table write_keys add column api_key_id uuid references api_keys on delete set null;
create index write_keys_api_key on write_keys (api_key_id) where revoke_time is null and api_key_id is not null;
`
