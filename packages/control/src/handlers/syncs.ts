import { type Handlers } from '@tributary/http'
import { createAlertChannel } from '../alert-channels/create.ts'
import { deleteAlertChannel } from '../alert-channels/delete.ts'
import { listAlertChannels } from '../alert-channels/list.ts'
import { testAlertChannel } from '../alert-channels/test.ts'
import { updateAlertChannel } from '../alert-channels/update.ts'
import { getCatalogDataSource } from '../catalog-data-sources/get.ts'
import { listCatalogDataSources } from '../catalog-data-sources/list.ts'
import { checkKey } from '../data-sources/check-key.ts'
import { createDataSource } from '../data-sources/create.ts'
import { deleteDataSource } from '../data-sources/delete.ts'
import { getDataSource } from '../data-sources/get.ts'
import { getDataSourceTable } from '../data-sources/get-table.ts'
import { listDataSources } from '../data-sources/list.ts'
import { listDataSourceTables } from '../data-sources/list-tables.ts'
import { previewDataSource } from '../data-sources/preview.ts'
import { testDataSource } from '../data-sources/test-connection.ts'
import { updateDataSource } from '../data-sources/update.ts'
import { updateDataSourceSetting } from '../data-sources/update-setting.ts'
import { validateQuery } from '../data-sources/validate.ts'
import { createModel } from '../models/create.ts'
import { deleteModel } from '../models/delete.ts'
import { getModel } from '../models/get.ts'
import { listModels } from '../models/list.ts'
import { updateModel } from '../models/update.ts'
import { createSyncToken } from '../sync-tokens/create.ts'
import { deleteSyncToken } from '../sync-tokens/delete.ts'
import { listSyncTokens } from '../sync-tokens/list.ts'
import { approveSyncRun } from '../syncs/approve-run.ts'
import { cancelSyncRun } from '../syncs/cancel-run.ts'
import { createSync } from '../syncs/create.ts'
import { deleteSync } from '../syncs/delete.ts'
import { deleteSyncDraft } from '../syncs/drafts/delete.ts'
import { getSyncDraft } from '../syncs/drafts/get.ts'
import { updateSyncDraft } from '../syncs/drafts/update.ts'
import { cancelSyncDryRun } from '../syncs/dry-runs/cancel.ts'
import { createSyncDryRun } from '../syncs/dry-runs/create.ts'
import { createDryRunForSync } from '../syncs/dry-runs/create-for-sync.ts'
import { getSyncDryRun } from '../syncs/dry-runs/get.ts'
import { getSync } from '../syncs/get.ts'
import { getSyncRowAttempt } from '../syncs/get-row-attempt.ts'
import { getSyncRun } from '../syncs/get-run.ts'
import { listSyncs } from '../syncs/list.ts'
import { listSyncRunRows } from '../syncs/list-run-rows.ts'
import { listSyncRuns } from '../syncs/list-runs.ts'
import { pauseSync } from '../syncs/pause.ts'
import { rerunSync } from '../syncs/rerun.ts'
import { resetSync } from '../syncs/reset.ts'
import { resumeSync } from '../syncs/resume.ts'
import { runSyncNow } from '../syncs/run-now.ts'
import { previewSyncRow } from '../syncs/test-rows/preview.ts'
import { sendSyncTestRow } from '../syncs/test-rows/send.ts'
import { updateSync } from '../syncs/update.ts'
import { createUpload } from '../uploads/create.ts'
import { getUploads } from '../uploads/get.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about data sources, models, and syncs. */
export const syncHandlers = (
  deps: HandlerDeps,
): Pick<
  Handlers,
  | 'catalogDataSources'
  | 'dataSources'
  | 'uploads'
  | 'models'
  | 'syncs'
  | 'syncDrafts'
  | 'syncDryRuns'
  | 'syncTestRows'
  | 'syncRuns'
  | 'alertChannels'
  | 'syncTokens'
> => ({
  catalogDataSources: { list: listCatalogDataSources(deps), get: getCatalogDataSource(deps) },
  dataSources: {
    list: listDataSources(deps),
    get: getDataSource(deps),
    create: createDataSource(deps),
    update: updateDataSource(deps),
    delete: deleteDataSource(deps),
    updateSetting: updateDataSourceSetting(deps),
    testConnection: testDataSource(deps),
    listTables: listDataSourceTables(deps),
    getTable: getDataSourceTable(deps),
    preview: previewDataSource(deps),
    validate: validateQuery(deps),
    checkKey: checkKey(deps),
  },
  uploads: { create: createUpload(deps), get: getUploads(deps) },
  models: {
    list: listModels(deps),
    get: getModel(deps),
    create: createModel(deps),
    update: updateModel(deps),
    delete: deleteModel(deps),
  },
  syncs: {
    list: listSyncs(deps),
    get: getSync(deps),
    create: createSync(deps),
    update: updateSync(deps),
    delete: deleteSync(deps),
    run: runSyncNow(deps),
    pause: pauseSync(deps),
    resume: resumeSync(deps),
    reset: resetSync(deps),
  },
  syncDrafts: { get: getSyncDraft(deps), update: updateSyncDraft(deps), delete: deleteSyncDraft(deps) },
  syncDryRuns: {
    create: createSyncDryRun(deps),
    createForSync: createDryRunForSync(deps),
    get: getSyncDryRun(deps),
    cancel: cancelSyncDryRun(deps),
  },
  syncTestRows: { preview: previewSyncRow(deps), send: sendSyncTestRow(deps) },
  syncRuns: {
    list: listSyncRuns(deps),
    get: getSyncRun(deps),
    listRows: listSyncRunRows(deps),
    getRowAttempt: getSyncRowAttempt(deps),
    approve: approveSyncRun(deps),
    cancel: cancelSyncRun(deps),
    rerun: rerunSync(deps),
  },
  alertChannels: {
    list: listAlertChannels(deps),
    create: createAlertChannel(deps),
    update: updateAlertChannel(deps),
    delete: deleteAlertChannel(deps),
    test: testAlertChannel(deps),
  },
  syncTokens: {
    list: listSyncTokens(deps),
    create: createSyncToken(deps),
    delete: deleteSyncToken(deps),
  },
})
