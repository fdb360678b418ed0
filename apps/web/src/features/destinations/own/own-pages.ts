// One chunk for all three pages, so that they share their parts with each other only.
export { NewOwnConnectorPage } from './new-own-connector-page.tsx'
export { OwnConnectorPage } from './own-connector-page.tsx'
export { OwnConnectorsPage } from './own-connectors-page.tsx'
