import type { Db } from '@tributary/api-kit'
import { letterIcon, ownApp, ownVersionOf } from '@tributary/configuration'
import { listDestination } from '@tributary/connector-kit'
import { type OwnReading, runVectors, type VectorResult } from '@tributary/connector-kit/own-connector'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { takeTurn } from '@tributary/kernel'
import { presentCatalogDestination } from '../catalog-destinations/present.ts'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'
import { isAffected, type Move, moveOf, type ReadOwn } from './affected.ts'
import { destinationsOf, type OwnConnectorRow, readOwnConnector, textsOfCall } from './read.ts'
import { readVersion } from './versions.ts'

/** Maximum number of checks of one workspace in 15 minutes. */
const maxChecks = 900

type Texts = { description: string; guide: string }
type ReadDeps = Pick<ControlDeps, 'catalog' | 'workShare'>

/** Reads texts in a turn of the workspace. Throws 429 if it has too much work waiting. */
export const readTexts = async (
  { catalog, workShare }: ReadDeps,
  workspaceId: string,
  texts: Texts,
  app: string,
): Promise<OwnReading> => {
  const { own } = catalog
  if (own === undefined) throw new Error('This process has no own connectors')
  return await takeTurn(workShare, workspaceId, () => own.read(texts, app))
}

/** Returns the app that the next version of an own connector will be. */
export const nextApp = ({ id, current_version: version }: OwnConnectorRow): string =>
  ownApp({ id, version: version + 1 })

/** Reads the version that destinations have; undefined if there is none, or if it can no longer be read. */
export const readUsed = async (
  deps: ReadDeps & { db: Db },
  row: OwnConnectorRow,
  app: string,
): Promise<ReadOwn | undefined> => {
  const own = ownVersionOf(app)
  if (own === undefined || own.id !== row.id) return undefined
  const reading = await readTexts(deps, row.workspace_id, await readVersion(deps.db, row, own.version), app)
  return reading.ok ? reading : undefined
}

type MoveDeps = ReadDeps & Pick<ControlDeps, 'secretBox'> & { db: Db }

/** Returns what a version does to the destinations of an own connector. Locks them with `lock`. */
export const movesOf = async (
  deps: MoveDeps,
  row: OwnConnectorRow,
  after: ReadOwn,
  { lock = false }: { lock?: boolean } = {},
): Promise<Move[]> => {
  const select = destinationsOf(deps.db, row)
  const used = await (lock ? select.forUpdate() : select).execute()
  const reads = new Map<string, ReadOwn | undefined>()
  const moves: Move[] = []
  for (const destination of used) {
    const { app } = destination
    if (!reads.has(app)) reads.set(app, await readUsed(deps, row, app))
    moves.push(await moveOf(deps, destination, reads.get(app), after))
  }
  return moves
}

/** Reads texts, and runs their vectors. */
export const checkTexts = async (
  deps: ReadDeps,
  row: OwnConnectorRow,
  texts: Texts,
): Promise<{ reading: OwnReading; vectors: VectorResult[] }> => {
  const reading = await readTexts(deps, row.workspace_id, texts, nextApp(row))
  if (!reading.ok) return { reading, vectors: [] }
  const began = performance.now()
  const vectors = await runVectors(texts.description, reading.definition)
  // Expensive vectors make the next check of the workspace wait for its share.
  deps.workShare.charge(row.workspace_id, performance.now() - began)
  return { reading, vectors }
}

/** Checks a draft, or texts that are not saved yet. */
export const checkOwnConnector =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'workShare' | 'secretBox' | 'counters'>,
  ): Handler<typeof methods.ownConnectors.check> =>
  async ({ workspace, params, body }) => {
    const row = await readOwnConnector(deps.db, workspace.id, params.own_connector)
    await countTry(
      deps.counters,
      [[`own-checks:${workspace.id}`, maxChecks]],
      'Too many checks. Try again in 15 minutes',
    )
    const { reading, vectors } = await checkTexts(deps, row, textsOfCall(row, body))
    if (!reading.ok) return { ok: false, problems: [...reading.problems], vectors: [], destinations: [], app: null }
    const { definition } = reading
    const moves = await movesOf(deps, row, reading)
    const entry = { ...listDestination(definition, letterIcon(row.title)), title: row.title }
    return {
      ok: vectors.every(({ ok }) => ok),
      problems: [],
      vectors: [...vectors],
      destinations: moves.filter(isAffected).map(({ name, title, problems, missing_settings, secrets_to_enter }) => ({
        name,
        title,
        problems,
        missing_settings,
        secrets_to_enter,
      })),
      app: presentCatalogDestination(entry, definition, moves.length),
    }
  }
