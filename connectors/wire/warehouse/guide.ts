/** Returns the steps of the set-up guide that are the same for all warehouses. */
export const warehouseSteps = (given: { types: string; users: string; tested: string }) => [
  {
    title: 'What is written',
    text: `Track events go to \`tracks\` and to a table per event (Order Completed to \`order_completed\`), with a column for each property. Identify goes to \`identifies\` and to \`users\`, which has one row per user with the newest values. Page, screen, group, and alias go to \`pages\`, \`screens\`, \`groups\`, and \`aliases\`; \`accounts\` has one row per group. ${given.users} Columns are added automatically: ${given.types}. \`id\` is the message ID.`,
  },
  {
    title: 'How events are loaded',
    text: 'Events are first written to the table `tributary_stage`. A load moves them into their tables, each event once within 14 days, and removes them from the stage. The **Loads** tab shows each load, and how far the tables are complete. Leave the stage alone.',
  },
  {
    title: "Values that don't match",
    text: "Values that don't match their column's type, properties beyond the columns that a table may have, and properties of events beyond 1,000 tables go to `extra_properties`, as JSON. Nothing is dropped. Decimals beyond the column's are rounded. On the **Loads** tab you change a column's type: values of `extra_properties` then move into the column.",
  },
  {
    title: 'Delete users',
    text: 'When a user is deleted in Tributary, rows with their user ID are deleted from the tables above, and so are rows without a user ID that have one of their anonymous IDs.',
  },
  { title: 'What it was tested with', text: given.tested },
]
