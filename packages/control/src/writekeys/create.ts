import { audit, changesOf, hashToken, idFor, isId, parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound, randomToken } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { keyContext, presentWriteKey } from './keys.ts'

/** Makes a write key for a source of the workspace: 24 random bytes, written as 32 URL-safe characters. */
export const createWriteKey =
  ({
    db,
    secretBox,
    clock,
  }: Pick<ControlDeps, 'db' | 'secretBox' | 'clock'>): Handler<typeof methods.writekeys.create> =>
  async ({ actor, workspace, body }) => {
    const reference = parseReference(resourceNames.source, 'source', body.source)
    if (reference.workspace !== workspace.id || !isId(reference.source)) throw notFound('source not found')
    const id = idFor(body.request_id, 'writekeys', workspace.id)
    const key = randomToken(24)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const source = await tx
        .selectFrom('sources')
        .select('id')
        .where('id', '=', reference.source)
        .where('workspace_id', '=', workspace.id)
        .where('delete_time', 'is', null)
        .forShare()
        .executeTakeFirst()
      if (source === undefined) throw notFound('source not found')
      const made = await tx
        .insertInto('write_keys')
        .values({
          id,
          source_id: source.id,
          workspace_id: workspace.id,
          title: body.title,
          key_hash: hashToken(key),
          key_encrypted: secretBox.seal(key, keyContext(id)),
          api_key_id: actor.key?.id ?? null,
          create_time: time,
        })
        .onConflict((conflicting) => conflicting.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (made === undefined) return
      await audit(
        tx,
        resourceNames.writekey.format({ workspace: workspace.id, writekey: id }),
        { source: body.source, title: body.title },
        { changes: changesOf({}, { title: body.title, source: body.source }) },
      )
    })
    const row = await db.selectFrom('write_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    if (row.revoke_time !== null)
      throw conflict('ALREADY_EXISTS', 'This request made a key that has been revoked since')
    return presentWriteKey(row, secretBox)
  }
