/**
 * Properties of a query whose times without a zone are in UTC, whatever the default of the project is
 * (docs.cloud.google.com/bigquery/docs/reference/rest/v2/ConnectionProperty, `time_zone`).
 */
export const inUtc = { connectionProperties: [{ key: 'time_zone', value: 'UTC' }] } as const
