import { type Handlers } from '@tributary/http'
import { getCatalogDestination } from '../catalog-destinations/get.ts'
import { listCatalogDestinations } from '../catalog-destinations/list.ts'
import { createConnection } from '../connections/create.ts'
import { deleteConnection } from '../connections/delete.ts'
import { getConnectionActivity } from '../connections/get-activity.ts'
import { listConnections } from '../connections/list.ts'
import { updateConnection } from '../connections/update.ts'
import { getLeftOutCounts } from '../deliveries/count-left-out.ts'
import { listDeliveries } from '../deliveries/list.ts'
import { listParkedDeliveries } from '../deliveries/list-parked.ts'
import { getDeliveryOverview } from '../delivery-overviews/get.ts'
import { type ControlDeps } from '../deps.ts'
import { completeConnectDestination } from '../destinations/complete-connect.ts'
import { connectDestination } from '../destinations/connect.ts'
import { createDestination } from '../destinations/create.ts'
import { deleteDestination } from '../destinations/delete.ts'
import { disconnectDestination } from '../destinations/disconnect.ts'
import { getDestination } from '../destinations/get.ts'
import { getDestinationApp } from '../destinations/get-app.ts'
import { getDestinationObject } from '../destinations/get-object.ts'
import { listDestinations } from '../destinations/list.ts'
import { retryDestination } from '../destinations/retry.ts'
import { testConnection } from '../destinations/test-connection.ts'
import { updateDestination } from '../destinations/update.ts'
import { updateSetting } from '../destinations/update-setting.ts'
import { discardFailureGroup } from '../failure-groups/discard.ts'
import { getFailureGroup } from '../failure-groups/get.ts'
import { listFailureGroups } from '../failure-groups/list.ts'
import { addPresets } from '../mappings/add-presets.ts'
import { getMappings } from '../mappings/get.ts'
import { previewMapping } from '../mappings/preview.ts'
import { sendTestEvent } from '../mappings/send-test.ts'
import { suggestMappings } from '../mappings/suggest.ts'
import { updateMappings } from '../mappings/update.ts'
import { checkOwnConnector } from '../own-connectors/check.ts'
import { createOwnConnector } from '../own-connectors/create.ts'
import { deleteOwnConnector } from '../own-connectors/delete.ts'
import { getOwnConnector, listOwnConnectors } from '../own-connectors/list.ts'
import { publishOwnConnector } from '../own-connectors/publish.ts'
import { tryOwnConnector } from '../own-connectors/try.ts'
import { updateOwnConnector } from '../own-connectors/update.ts'
import { exportOwnConnector, getOwnConnectorVersion, listOwnConnectorVersions } from '../own-connectors/versions.ts'
import { createPeopleList } from '../people-lists/create.ts'
import { getPeopleList, maxFactsAgeMs } from '../people-lists/get.ts'
import { createKeptAnswers } from '../people-lists/kept-answers.ts'
import { listPeopleLists, maxListsAgeMs } from '../people-lists/list.ts'
import { cancelReplay } from '../replays/cancel.ts'
import { createReplay } from '../replays/create.ts'
import { getReplay } from '../replays/get.ts'
import { listReplays } from '../replays/list.ts'
import { pauseReplay } from '../replays/pause.ts'
import { previewReplay } from '../replays/preview.ts'
import { resumeReplay } from '../replays/resume.ts'
import { changeWarehouseColumn } from '../warehouse-loads/change-column.ts'
import { countConversion } from '../warehouse-loads/count-conversion.ts'
import { getWarehouseLoad } from '../warehouse-loads/get.ts'
import { getWarehouseStatus } from '../warehouse-loads/get-status.ts'
import { listWarehouseLoads } from '../warehouse-loads/list.ts'
import { listWarehouseTables } from '../warehouse-loads/list-tables.ts'
import { startWarehouseLoad } from '../warehouse-loads/start.ts'
import type { HandlerDeps } from './deps.ts'

/** The calls about lists of people at platforms, which share what they have read. */
const peopleListHandlers = (deps: ControlDeps) => {
  const lists: Parameters<typeof listPeopleLists>[1] = createKeptAnswers(deps.clock, maxListsAgeMs)
  return {
    list: listPeopleLists(deps, lists),
    get: getPeopleList(deps, createKeptAnswers(deps.clock, maxFactsAgeMs)),
    create: createPeopleList(deps, lists),
  }
}

/** Makes the handlers of the methods about destinations. */
export const destinationHandlers = (
  deps: HandlerDeps,
): Pick<
  Handlers,
  | 'catalogDestinations'
  | 'destinations'
  | 'ownConnectors'
  | 'peopleLists'
  | 'mappings'
  | 'connections'
  | 'deliveries'
  | 'deliveryOverviews'
  | 'leftOutCounts'
  | 'failureGroups'
  | 'replays'
  | 'warehouseLoads'
> => ({
  catalogDestinations: { list: listCatalogDestinations(deps), get: getCatalogDestination(deps) },
  destinations: {
    list: listDestinations(deps),
    get: getDestination(deps),
    create: createDestination(deps),
    update: updateDestination(deps),
    delete: deleteDestination(deps),
    getApp: getDestinationApp(deps),
    updateSetting: updateSetting(deps),
    getObject: getDestinationObject(deps),
    retry: retryDestination(deps),
    connect: connectDestination(deps),
    completeConnect: completeConnectDestination(deps),
    disconnect: disconnectDestination(deps),
    testConnection: testConnection(deps),
  },
  ownConnectors: {
    list: listOwnConnectors(deps),
    get: getOwnConnector(deps),
    create: createOwnConnector(deps),
    update: updateOwnConnector(deps),
    delete: deleteOwnConnector(deps),
    check: checkOwnConnector(deps),
    try: tryOwnConnector(deps),
    publish: publishOwnConnector(deps),
    listVersions: listOwnConnectorVersions(deps),
    getVersion: getOwnConnectorVersion(deps),
    export: exportOwnConnector(deps),
  },
  peopleLists: peopleListHandlers(deps),
  mappings: {
    get: getMappings(deps),
    update: updateMappings(deps),
    addPresets: addPresets(deps),
    suggest: suggestMappings(deps),
    preview: previewMapping(deps),
    sendTest: sendTestEvent(deps),
  },
  connections: {
    list: listConnections(deps),
    create: createConnection(deps),
    update: updateConnection(deps),
    delete: deleteConnection(deps),
    getActivity: getConnectionActivity(deps),
  },
  deliveries: { list: listDeliveries(deps), listParked: listParkedDeliveries(deps) },
  deliveryOverviews: { get: getDeliveryOverview(deps) },
  leftOutCounts: { get: getLeftOutCounts(deps) },
  failureGroups: {
    list: listFailureGroups(deps),
    get: getFailureGroup(deps),
    discard: discardFailureGroup(deps),
  },
  replays: {
    preview: previewReplay(deps),
    create: createReplay(deps),
    list: listReplays(deps),
    get: getReplay(deps),
    pause: pauseReplay(deps),
    resume: resumeReplay(deps),
    cancel: cancelReplay(deps),
  },
  warehouseLoads: {
    list: listWarehouseLoads(deps),
    get: getWarehouseLoad(deps),
    getStatus: getWarehouseStatus(deps),
    start: startWarehouseLoad(deps),
    listTables: listWarehouseTables(deps),
    countConversion: countConversion(deps),
    changeColumn: changeWarehouseColumn(deps),
  },
})
