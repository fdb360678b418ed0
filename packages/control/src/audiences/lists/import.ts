import { idFor } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { addAudience } from '../create.ts'
import type { Evaluation } from '../evaluate.ts'
import { audienceName } from '../read.ts'
import { lockAudiences } from '../references.ts'
import { nobodyFound } from './change.ts'
import { type Matched, matchValues } from './match.ts'
import { listQuery, storeEntries, storeListChange } from './stored.ts'

/** Creates an audience of those who have an identifier of a list. Of values that nobody has nothing is kept. */
export const importAudienceList =
  ({
    evaluation,
    ...deps
  }: Pick<ControlDeps, 'db' | 'jobs' | 'billing' | 'clock'> & { evaluation: Evaluation }): Handler<
    typeof methods.audiences.importList
  > =>
  async ({ actor, workspace, body, signal }) => {
    const { kind, values, validate_only, title } = body
    const { report, identifiers }: Matched = await matchValues(evaluation, workspace.id, body, signal)
    if (validate_only) return { name: '', report }
    if (identifiers.length === 0) throw nobodyFound()
    const id = idFor(body.request_id, 'audiences', workspace.id)
    const name = audienceName(workspace.id, id)
    const time = new Date(deps.clock())
    const counts = { value_count: values.length, found_count: report.found_count }
    await deps.db.transaction().execute(async (tx) => {
      const query = listQuery(name, 1)
      const detail = { list: kind, values: counts.value_count, found: counts.found_count }
      const known = await lockAudiences(tx, workspace.id)
      const made = await addAudience(tx, deps, { id, workspace, title, query, actor, time, detail }, known)
      if (!made) return
      const version = { workspaceId: workspace.id, audienceId: id, version: 1, base: undefined }
      await storeEntries(tx, version, { add: identifiers, remove: [] })
      await storeListChange(tx, { actor, time }, { audience_id: id, version: 1, operation: 'import', kind, ...counts })
    })
    return { name, report }
  }
