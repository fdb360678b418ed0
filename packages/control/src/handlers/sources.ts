import { type Handlers } from '@tributary/http'
import { getCatalogSource } from '../catalog-sources/get.ts'
import { listCatalogSources } from '../catalog-sources/list.ts'
import { listSourceDroppedEvents } from '../dropped-events/list-by-source.ts'
import { getInferredSchema } from '../inferred-schemas/get.ts'
import { listRefusedRequests } from '../refused-requests/list.ts'
import { listSourceRefusedRequests } from '../refused-requests/list-by-source.ts'
import { listUnownedRefusedRequests } from '../refused-requests/list-unowned.ts'
import { getSchemaVersion } from '../schema-versions/get.ts'
import { listSchemaVersions } from '../schema-versions/list.ts'
import { listSourceSchemaTemplates } from '../source-schema-templates/list.ts'
import { createSource } from '../sources/create.ts'
import { deleteSource } from '../sources/delete.ts'
import { getSource } from '../sources/get.ts'
import { listSources } from '../sources/list.ts'
import { previewTemplate } from '../sources/preview-template.ts'
import { updateSource } from '../sources/update.ts'
import { updateSourceSetting } from '../sources/update-setting.ts'
import { listSourceViolations } from '../violations/list-by-source.ts'
import { replayBlockedEvents } from '../violations/replay-blocked.ts'
import { createWriteKey } from '../writekeys/create.ts'
import { deleteWriteKey } from '../writekeys/delete.ts'
import { listWriteKeys } from '../writekeys/list.ts'
import { rotateWriteKey } from '../writekeys/rotate.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about sources. */
export const sourceHandlers = (
  deps: HandlerDeps,
): Pick<
  Handlers,
  | 'catalogSources'
  | 'sources'
  | 'sourceSchemaTemplates'
  | 'schemaVersions'
  | 'inferredSchemas'
  | 'violations'
  | 'writekeys'
  | 'refusedRequests'
  | 'droppedEvents'
> => ({
  catalogSources: { list: listCatalogSources(deps), get: getCatalogSource(deps) },
  sources: {
    list: listSources(deps),
    get: getSource(deps),
    create: createSource(deps),
    update: updateSource(deps),
    delete: deleteSource(deps),
    updateSetting: updateSourceSetting(deps),
    previewTemplate: previewTemplate(deps),
  },
  sourceSchemaTemplates: { list: listSourceSchemaTemplates },
  schemaVersions: { list: listSchemaVersions(deps), get: getSchemaVersion(deps) },
  inferredSchemas: { get: getInferredSchema(deps) },
  violations: { listBySource: listSourceViolations(deps), replayBlocked: replayBlockedEvents(deps) },
  writekeys: {
    create: createWriteKey(deps),
    list: listWriteKeys(deps),
    rotate: rotateWriteKey(deps),
    delete: deleteWriteKey(deps),
  },
  refusedRequests: {
    listBySource: listSourceRefusedRequests(deps),
    list: listRefusedRequests(deps),
    listUnowned: listUnownedRefusedRequests(deps),
  },
  droppedEvents: { listBySource: listSourceDroppedEvents(deps) },
})
