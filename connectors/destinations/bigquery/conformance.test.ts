import { type BigQueryPeer, startBigQuery } from '../../wire/bigquery/testing-bigquery.ts'
import { warehouseConformance } from '../../wire/warehouse/testing-conformance.ts'
import { destinationAt, openConformance } from './testing-peer.ts'

let peer: BigQueryPeer | undefined

warehouseConformance(
  'BigQuery',
  destinationAt(() => peer?.url ?? ''),
  {
    column: (name) => `"${name}"`,
    number: (name) =>
      `if(contains(cast("${name}" as varchar), '.'), rtrim(rtrim(cast("${name}" as varchar), '0'), '.'), cast("${name}" as varchar))`,
    time: (name) => `strftime("${name}", '%Y-%m-%d %H:%M:%S.%g')`,
    seconds: (name) => `cast(floor(epoch("${name}")) as bigint)`,
    flag: (name) => `cast("${name}" as varchar)`,
    member: (name, member) => `json_extract_string("${name}", '$."${member}"')`,
  },
  async () => {
    peer = await startBigQuery()
    return await openConformance(peer)
  },
)
