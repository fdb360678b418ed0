/** The categories of destinations, in the order of the catalog. */
export const destinationCategories = [
  'Analytics',
  'Advertising',
  'CRM and sales',
  'Customer engagement',
  'Email and SMS',
  'Support and success',
  'Product and experiments',
  'Chat and work',
  'Automation',
  'Databases and storage',
  'Customer data platforms',
  'Mobile attribution',
  'Search and personalization',
  'Revenue',
  'Monitoring',
] as const
export type DestinationCategory = (typeof destinationCategories)[number]

/** What a destination can do besides its kinds of data. */
export const destinationAbilities = ['People', 'Lists of people', 'Deletion of users', 'Tables for analysts'] as const
export type DestinationAbility = (typeof destinationAbilities)[number]
