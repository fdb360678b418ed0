import { schemaLock } from '../../applied-schemas.ts'
import { rewriteSchema } from '../../rewrite-schema.ts'
import { copy, log } from './connection.ts'
import type { Shape } from './table-shape.ts'

const createTriggerFunction = (name: string, body: string): string =>
  `create or replace function ${rewriteSchema}.${name}() returns trigger language plpgsql
    security definer set search_path = pg_catalog as $note$ begin
    ${body}
    return null;
  end $note$`

const noteEmptied = `insert into ${rewriteSchema}.emptied default values;`

/** Stops the log of changed keys without a lock on the table. The copy can then no longer replace the table. */
export const noteNothing = [noteEmptied.slice(0, -1), createTriggerFunction('note', '')].join(';\n')

/**
 * Creates the statements for the empty copy, the log of changed keys, and the triggers that fill the log. They are one
 * text, so that this process never waits between the lock of the trigger and its commit. The triggers fire in every
 * session, whatever its `session_replication_role`. They run with the rights of their owner, so each role that may
 * write to the table still can.
 */
export const prepareText = ({ name, columns, keys, options }: Shape): string => {
  const column = ({ name: own, type, collation }: Shape['columns'][number], index: number): string =>
    `${own ?? `dropped_${index}_`} ${type}${collation === null ? '' : ` collate ${collation}`}`
  const settings = [
    ...(options ?? []).filter((one) => !one.startsWith('autovacuum_enabled=')),
    'autovacuum_enabled=false',
  ]
  const row = (which: string): string =>
    `insert into ${log} values (${keys.map((key) => `${which}.${key.name}`).join(', ')});`
  return [
    'begin',
    // A migration holds this lock, and removes what a rewrite has prepared.
    `do $$ begin if not pg_try_advisory_xact_lock(${schemaLock}) then
      raise exception 'a migration is under way' using errcode = '55P03'; end if; end $$`,
    `create schema ${rewriteSchema}`,
    `create table ${copy} (${columns.map(column).join(', ')}) with (${settings.join(', ')})`,
    ...columns.flatMap(({ name: own, storage, compression }, index) => {
      if (own === null) return [`alter table ${copy} drop column dropped_${index}_`]
      return [
        ...(storage === null ? [] : [`alter table ${copy} alter column ${own} set storage ${storage}`]),
        ...(compression === '' ? [] : [`alter table ${copy} alter column ${own} set compression ${compression}`]),
      ]
    }),
    `create unlogged table ${log} (${keys.map((key) => `${key.name} ${key.type}`).join(', ')}) with (autovacuum_enabled = false)`,
    `create table ${rewriteSchema}.emptied ()`,
    createTriggerFunction(
      'note',
      `if tg_op <> 'INSERT' then ${row('old')} end if;
      if tg_op <> 'DELETE' then ${row('new')} end if;`,
    ),
    createTriggerFunction('note_emptied', noteEmptied),
    `create trigger tributary_rewrite after insert or update or delete on ${name}
      for each row execute function ${rewriteSchema}.note()`,
    `create trigger tributary_rewrite_emptied after truncate on ${name}
      for each statement execute function ${rewriteSchema}.note_emptied()`,
    `alter table ${name} enable always trigger tributary_rewrite`,
    `alter table ${name} enable always trigger tributary_rewrite_emptied`,
    'commit',
  ].join(';\n')
}
