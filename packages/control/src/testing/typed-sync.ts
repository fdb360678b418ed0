import { methods, type SyncMode, type SyncRun } from '@tributary/contract'
import { idIn } from './control-harness.ts'
import type { startSyncEngine } from './sync-engine.ts'

type Engine = Awaited<ReturnType<typeof startSyncEngine>>

/** The settings of a sync whose query returns two columns: `k`, the identifier, and `v`. */
type Given = {
  query: string
  table: string
  mode?: SyncMode
  dataSource?: string
  target?: string
  fields?: readonly string[]
  more?: Record<string, unknown>
}

/**
 * Makes a sync of a query to a table of a destination, with the identifier `k`. By default, both are PostgreSQL
 * databases.
 */
export const openTypedSync = async (engine: Engine, given: Given) => {
  const { harness, organization, dataSource, target } = engine
  const { administrator, workspaceId: workspace } = organization
  const model = await administrator.ok(
    methods.models.create,
    { workspace },
    {
      body: {
        title: given.table,
        data_source: given.dataSource ?? dataSource,
        query: { sql: given.query },
        primary_key: ['k'],
      },
    },
  )
  const sync = await administrator.ok(
    methods.syncs.create,
    { workspace },
    {
      body: {
        title: given.table,
        model: model.name,
        destination: given.target ?? target,
        object: 'table',
        object_name: given.table,
        mode: given.mode ?? 'FULL_SYNC',
        identifier: 'k',
        fields: (given.fields ?? ['k', 'v']).map((name) => ({ column: name, target: name })),
        guard_percent: 100,
        ...given.more,
      },
    },
  )
  const params = { workspace, sync: idIn(sync.name) }
  const last = async (): Promise<SyncRun> => {
    const { runs } = await administrator.ok(methods.syncRuns.list, params)
    return await administrator.ok(methods.syncRuns.get, { ...params, run: idIn(runs[0]?.name ?? '') })
  }
  return {
    params,
    update: (body: Record<string, unknown>) => administrator.ok(methods.syncs.update, params, { body }),
    /** Runs the sync once. Approves a run that waits for approval. */
    run: async (resync = false): Promise<SyncRun> => {
      const work = () => harness.runSync({ sync: params.sync }, { signal: new AbortController().signal, attempt: 3 })
      await administrator.ok(methods.syncs.run, params, { body: { resync } })
      await work()
      const run = await last()
      if (run.state !== 'needs_approval') return run
      await administrator.ok(methods.syncRuns.approve, { ...params, run: idIn(run.name) }, { body: {} })
      await work()
      return await last()
    },
    rows: async (run: SyncRun, query = {}) =>
      (await administrator.ok(methods.syncRuns.listRows, { ...params, run: idIn(run.name) }, { query })).rows,
    dryRun: async () => {
      const { name } = await administrator.ok(methods.syncDryRuns.createForSync, params, { body: {} })
      return await engine.lookedAt(name)
    },
  }
}
