import { audit, changesOf } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { dataSourceName, readDataSource, showDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Changes the title of a data source. */
export const updateDataSource =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.dataSources.update> =>
  async ({ workspace, params, body: { title } }) => {
    const { db, clock } = deps
    const { id, title: before } = await readDataSource(db, workspace.id, params.data_source)
    if (title !== undefined) {
      const time = new Date(clock())
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('data_sources')
          .set({ title, update_time: time })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) throw notFound('data source not found')
        await audit(
          tx,
          dataSourceName(workspace.id, id),
          { title },
          { changes: changesOf({ title: before }, { title }) },
        )
      })
    }
    return await showDataSource(deps, workspace.id, id)
  }
