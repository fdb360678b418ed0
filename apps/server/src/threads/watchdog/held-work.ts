import { type Logger, newId, setHeldWork } from '@tributary/kernel'
import { countWorkBlock, forgetOldWork, holdWork, type Relational } from '@tributary/storage'
import { type Block, blocksFileOf, takeNoted } from './blocks-file.ts'

type Db = Relational['db']

/** Number of blocked threads after which work is held. */
const maxBlocks = 2
/**
 * Times in ms after which the records of work that blocked a thread once, and of held work, are deleted. By then, no
 * log contains the work.
 */
const forgetOnceMs = 30 * 24 * 3_600_000
const forgetHeldMs = 90 * 24 * 3_600_000
/** How often threads read which work is held, ms. */
const lookMs = 10_000

/** Work that is skipped because it blocked a thread. */
export type HeldWork = {
  id: string
  /** Undefined for work that belongs to no workspace. */
  workspaceId: string | undefined
  workspace: string
  item: string
  reason: string
}

type Reason = { thread: string; step: string; block_time: Date; blocks: readonly string[] }

const timesText = (times: number): string => (times === maxBlocks ? 'twice' : `${times} times`)

const reasonOf = ({ thread, step, block_time: time, blocks }: Reason): string =>
  `It blocked the thread ${thread} ${timesText(blocks.length)}, last at ${time.toISOString()} (${step}), and is held. The home of its workspace and "npm run set-aside" show it and have it tried again`

/**
 * Finds the owner in the data of a job: a sync, an audience, a dry run, or a privacy request. The record of a job names
 * no workspace.
 */
const jobOwner = /^job [\w-]+ \{"[a-z_]+":"([0-9a-f-]{36})"/

type TakeDeps = { relational: Pick<Relational, 'db' | 'pool'>; file: string; logger: Logger }

const countBlocks = async ({ relational: { db, pool }, logger }: TakeDeps, blocks: readonly Block[]): Promise<void> => {
  for (const { id, time, thread, step, workspaceId, item } of blocks) {
    // If the item is unknown, the work cannot be held.
    if (item === '') continue
    const { hold_time, times } = await countWorkBlock(pool, {
      id: newId(),
      item,
      workspaceId,
      thread,
      step,
      block: id,
      time: new Date(time),
      owner: jobOwner.exec(item)?.[1] ?? null,
    })
    if (hold_time !== null || times < maxBlocks) continue
    await holdWork(db, item, new Date())
    logger.error({ item, step, workspaceId }, 'something that blocked a thread twice is held: see npm run set-aside')
  }
}

/**
 * Moves the records of blocked threads from the data folder into PostgreSQL. Work that has blocked a thread for the
 * second time is held from now on. The same record counts once, even after interruptions, and later records stay for
 * the next call.
 */
export const takeBlocks = async (deps: TakeDeps): Promise<void> => {
  const {
    relational: { db },
    file,
  } = deps
  const noted = takeNoted(file)
  await countBlocks(deps, noted.blocks)
  noted.forget()
  if (noted.isLeft) {
    const others = takeNoted(file)
    await countBlocks(deps, others.blocks)
    others.forget()
  }
  const now = Date.now()
  await forgetOldWork(db, { blocked: new Date(now - forgetOnceMs), held: new Date(now - forgetHeldMs) })
}

const heldRows = (db: Db) =>
  db
    .selectFrom('held_work')
    .where('hold_time', 'is not', null)
    .select(['item', 'thread', 'step', 'block_time', 'blocks'])

/** Lists the held work, oldest first; at most 1000. */
export const listHeldWork = async (db: Db): Promise<HeldWork[]> => {
  const rows = await heldRows(db)
    .leftJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['held_work.id', 'workspace_id', 'title'])
    .orderBy('hold_time')
    .orderBy('held_work.id')
    .limit(1000)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id ?? undefined,
    workspace: row.title ?? '',
    item: row.item,
    reason: reasonOf(row),
  }))
}

/**
 * Makes the calling thread skip held work: immediately once `load` has resolved, and later changes within ten seconds.
 */
export const createHeldWork = ({ db, logger }: { db: Db; logger: Logger }) => {
  let timer: NodeJS.Timeout | undefined
  let loading: Promise<void> | undefined
  const load = async (): Promise<void> => {
    const rows = await heldRows(db).execute()
    setHeldWork(new Map(rows.map((row) => [row.item, reasonOf(row)])))
  }
  return {
    async load(): Promise<void> {
      await load()
      timer = setInterval(() => {
        loading ??= load()
          // While the database is down, the last known work stays held.
          .catch((error: unknown) => logger.debug({ err: error }, 'what is held cannot be looked at now'))
          .finally(() => {
            loading = undefined
          })
      }, lookMs)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await loading
    },
  }
}

/** Imports the records of this process's earlier blocked threads, and makes the calling thread skip held work. */
export const startHeldWork = async ({
  relational,
  dataDir,
  logger,
}: {
  relational: Pick<Relational, 'db' | 'pool'>
  dataDir: string
  logger: Logger
}) => {
  await takeBlocks({ relational, file: blocksFileOf(dataDir), logger })
  const heldWork = createHeldWork({ db: relational.db, logger })
  await heldWork.load()
  return heldWork
}
