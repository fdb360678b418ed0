export { postAlert } from './alert-channels/post.ts'
export { alertJob, noteOutcome, sendAlert } from './alert-channels/queue.ts'
export {
  alertChannelName,
  channelContext,
  openChannel,
  presentChannels,
  readAlertChannel,
  sealChannel,
} from './alert-channels/read.ts'
export {
  changeAlertChannel,
  deleteOldAlertMessages,
  insertAlertChannel,
  removeAlertChannel,
  removeAlertChannelsOf,
} from './alert-channels/write.ts'
export { activeRun, beginRun, queueSync, syncJob } from './begin-run.ts'
export { presentCatalogDataSource, presentListedDataSource } from './catalog-data-sources/present.ts'
export { actions, held, shownChange } from './changes.ts'
export { checkCursor, checkSync, findRowObject, takesCursor } from './check.ts'
export { countRows } from './counts.ts'
export { cursorOf } from './cursor.ts'
export { peopleApp } from './data-sources/people/session.ts'
export { createDataSourcePlaces, type DataSourcePlaces, peopleReaders } from './data-sources/places.ts'
export {
  type DataSourceRow,
  dataSourceName,
  modelCounts,
  presentDataSource,
  readDataSource,
  showDataSource,
} from './data-sources/read.ts'
export { readSettings, type SessionDeps, useDataSource } from './data-sources/use-session.ts'
export { beginDryRun, dryRunJob } from './dry-runs/begin.ts'
export { dryRunName, presentDryRun, readDryRun } from './dry-runs/read.ts'
export { dryRunSync } from './dry-runs/run.ts'
export { cancelDryRun, clearDryRuns } from './dry-runs/write.ts'
export { endRun } from './end-run.ts'
export { syncRowMarks, syncRowRemovals } from './erase.ts'
export { type ModelRow, modelName, presentModel, readModel, selectModels } from './models/read.ts'
export { ownershipAfter } from './own-object.ts'
export { queueDueSyncs } from './queue-due.ts'
export {
  countsOf,
  fieldsOf,
  lastRuns,
  presentRun,
  presentSync,
  readSync,
  readSyncRun,
  type SyncRow,
  selectSyncs,
  showSync,
  syncName,
} from './read.ts'
export { stagingOf } from './read-rows.ts'
export { columnPlaces, MissingColumn } from './row-values.ts'
export { runSync } from './run.ts'
export { nextRunTime, storedSchedule } from './schedule.ts'
export type { Outbound } from './send-rows.ts'
export type { SyncServices } from './services.ts'
export { createSyncStore } from './store.ts'
export {
  findObject,
  namedTarget,
  noSuchObject,
  requireObject,
  requireSameApp,
  type SyncTarget,
  targetOf,
} from './target.ts'
export { lastUploads, settingsText, uploadFolder, uploadKey } from './uploads/read.ts'
export { insertSync, removeSync, removeSyncsOf, setSync } from './write.ts'
