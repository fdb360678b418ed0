import { audit, changesOf, hashToken, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newId, notFound, randomToken } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { keyContext, presentWriteKey } from './keys.ts'

/** Makes a new write key with the title and source of another one, and revokes the old one in the same transaction. */
export const rotateWriteKey =
  ({
    db,
    secretBox,
    clock,
  }: Pick<ControlDeps, 'db' | 'secretBox' | 'clock'>): Handler<typeof methods.writekeys.rotate> =>
  async ({ actor, workspace, params }) => {
    if (!isId(params.writekey)) throw notFound('write key not found')
    const id = newId()
    const nameOf = (writekey: string): string => resourceNames.writekey.format({ workspace: workspace.id, writekey })
    const key = randomToken(24)
    const time = new Date(clock())
    const row = await db.transaction().execute(async (tx) => {
      // The source is locked first, so that a source that is deleted meanwhile does not keep the new key.
      const source = await tx
        .selectFrom('sources')
        .innerJoin('write_keys', 'write_keys.source_id', 'sources.id')
        .select('sources.id')
        .where('write_keys.id', '=', params.writekey)
        .where('write_keys.workspace_id', '=', workspace.id)
        .where('sources.delete_time', 'is', null)
        .forShare('sources')
        .executeTakeFirst()
      if (source === undefined) throw notFound('write key not found')
      const former = await tx
        .updateTable('write_keys')
        .set({ revoke_time: time })
        .where('id', '=', params.writekey)
        .where('revoke_time', 'is', null)
        .returning(['id', 'title'])
        .executeTakeFirst()
      if (former === undefined) throw notFound('write key not found')
      const made = await tx
        .insertInto('write_keys')
        .values({
          id,
          source_id: source.id,
          workspace_id: workspace.id,
          title: former.title,
          key_hash: hashToken(key),
          key_encrypted: secretBox.seal(key, keyContext(id)),
          api_key_id: actor.key?.id ?? null,
          create_time: time,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(
        tx,
        nameOf(former.id),
        {
          source_id: source.id,
          title: former.title,
          made: nameOf(id),
        },
        { changes: changesOf({ writekey: nameOf(former.id) }, { writekey: nameOf(id) }) },
      )
      return made
    })
    return presentWriteKey(row, secretBox)
  }
