import { idFor } from '@tributary/api-kit'
import {
  audienceName,
  type Evaluation,
  listQuery,
  lockAudiences,
  storeEntries,
  storeListChange,
} from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { addAudience } from '../create.ts'
import { noProfileFound } from './change.ts'
import { type MatchedValues, matchValues } from './match.ts'

/**
 * Creates an audience of the profiles that have one of the identifiers in a list. Does not store values that belong to
 * no profile.
 */
export const importAudienceList =
  ({
    evaluation,
    ...deps
  }: Pick<ControlDeps, 'db' | 'jobs' | 'billing' | 'clock'> & { evaluation: Evaluation }): Handler<
    typeof methods.audiences.importList
  > =>
  async ({ actor, workspace, body, signal }) => {
    const { kind, values, validate_only, title } = body
    const { report, identifiers }: MatchedValues = await matchValues(evaluation, workspace.id, body, signal)
    if (validate_only) return { name: '', report }
    if (identifiers.length === 0) throw noProfileFound()
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
