/** An example of a file of offline conversions: the most common columns, with invented people. */
export const sampleFile: { header: readonly string[]; rows: readonly (readonly string[])[] } = {
  header: ['event_id', 'event_time', 'value', 'currency', 'email', 'phone', 'gclid', 'fbclid', 'consent'],
  rows: [
    ['order-1001', '2026-03-04T05:06:07Z', '25.50', 'USD', 'ada@example.com', '+12025550123', '', '', 'granted'],
    ['order-1002', '2026-03-04T06:10:00Z', '120', 'USD', 'bob@example.com', '', 'EAIaIQobChMI', '', 'granted'],
  ],
}
