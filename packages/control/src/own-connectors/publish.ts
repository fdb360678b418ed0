import { audit, type Tx } from '@tributary/api-kit'
import { listingOf } from '@tributary/configuration'
import { type methods, ownConnectorLimits, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, faultPoint } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { heldText, type Move, type ReadOwn } from './affected.ts'
import { checkTexts, movesOf, nextApp } from './check.ts'
import { lockOwnConnector, type OwnConnectorRow, readOwnConnector, showOwnConnector } from './read.ts'
import { requireRevision } from './update.ts'
import { readVersion } from './versions.ts'

type Deps = Pick<ControlDeps, 'db' | 'catalog' | 'workShare' | 'secretBox' | 'clock'>

const refuseDescription = (text: string): Error => badRequest('INVALID_DESCRIPTION', text, { description: text })

/** Reads the draft. Throws 400 with the first problem, or the first vector that fails. */
const requireValid = async (deps: Deps, row: OwnConnectorRow): Promise<ReadOwn> => {
  const texts = { description: row.draft_description, guide: row.draft_guide }
  const { reading, vectors } = await checkTexts(deps, row, texts)
  if (!reading.ok) {
    const [first] = reading.problems
    throw refuseDescription(first === undefined ? 'Not valid' : `${first.path} ${first.message}`.trim())
  }
  const failed = vectors.find(({ ok }) => !ok)
  if (failed !== undefined)
    throw refuseDescription(`The vector ${failed.name === '' ? failed.path : failed.name} fails: ${failed.message}`)
  return reading
}

const textsByDestination = (moves: readonly Move[], text: (move: Move) => string): Record<string, string> =>
  Object.fromEntries(moves.map((move) => [move.id, text(move)]))

/** Throws 409 if a version does not fit destinations, or holds them without permission. */
const requireFitting = (moves: readonly Move[], hold: boolean): void => {
  const unfit = moves.filter(({ problems }) => problems.length > 0)
  if (unfit.length > 0) {
    const texts = textsByDestination(unfit, ({ title, problems }) => `${title}: ${problems.join('; ')}`)
    throw conflict('DESTINATIONS_DO_NOT_FIT', `The version does not fit. ${Object.values(texts).join('. ')}`, texts)
  }
  const held = moves.filter((move) => move.missing_settings.length + move.secrets_to_enter.length > 0)
  if (held.length === 0 || hold) return
  const texts = textsByDestination(held, heldText)
  throw conflict('DESTINATIONS_HELD', Object.values(texts).join('. '), texts)
}

const requireNew = async (tx: Tx, row: OwnConnectorRow): Promise<void> => {
  if (row.current_version >= ownConnectorLimits.versions)
    throw conflict('TOO_MANY', `It has ${ownConnectorLimits.versions} versions. Export it, and import the file`)
  if (row.current_version === 0) return
  const { description, guide } = await readVersion(tx, row, row.current_version)
  if (description === row.draft_description && guide === row.draft_guide)
    throw conflict('NO_CHANGES', `The draft is version ${row.current_version}`)
}

/**
 * Publishes the draft: adds a version, and moves all destinations to it, in one transaction. A secret that the version sends
 * to another host is removed from its destinations.
 */
export const publishOwnConnector =
  (deps: Deps): Handler<typeof methods.ownConnectors.publish> =>
  async ({ actor, workspace, params, body }) => {
    const { db, clock } = deps
    const checked = await readOwnConnector(db, workspace.id, params.own_connector)
    requireRevision(checked, body.draft_revision)
    const after = await requireValid(deps, checked)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await lockOwnConnector(tx, workspace.id, params.own_connector)
      requireRevision(row, checked.draft_revision)
      if (row.current_version !== checked.current_version) requireRevision(row, Number.NaN)
      await requireNew(tx, row)
      const moves = await movesOf({ ...deps, db: tx }, row, after, { lock: true })
      requireFitting(moves, body.hold)
      const version = row.current_version + 1
      await tx
        .insertInto('own_connector_versions')
        .values({
          own_connector_id: row.id,
          version,
          description: row.draft_description,
          guide: row.draft_guide,
          listing: listingOf(after.definition),
          note: body.note,
          created_by: actor.userId,
          create_time: time,
        })
        .execute()
      for (const { id, columns } of moves)
        await tx
          .updateTable('destinations')
          .set({ ...columns, app: nextApp(row), update_time: time })
          .where('id', '=', id)
          .execute()
      await tx
        .updateTable('own_connectors')
        .set({ current_version: version, update_time: time })
        .where('id', '=', row.id)
        .execute()
      await audit(tx, resourceNames.ownConnector.format({ workspace: workspace.id, own_connector: row.id }), {
        title: row.title,
        version,
        destinations: moves.length,
        held: moves.filter(({ secrets_to_enter: secrets }) => secrets.length > 0).map(({ id }) => id),
      })
      faultPoint('publish.before-commit')
    })
    faultPoint('publish.after-commit')
    return await showOwnConnector(db, workspace.id, params.own_connector)
  }
