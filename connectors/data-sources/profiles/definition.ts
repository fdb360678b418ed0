import { ConfigurationError, defineDataSource, defineSettings } from '@tributary/connector-kit'

/** Reads the workspace's own audiences and profiles. */
export const profiles = defineDataSource({
  slug: 'profiles',
  title: 'Audiences and profiles',
  description: 'Reads the members of your audiences, or all profiles, with their identifiers and traits.',
  people: true,
  docs: {
    url: '/docs/syncs',
    steps: [
      {
        title: 'What is read',
        text: 'Each audience is a table of its members, and **All profiles** is a table of every profile. A run reads all profiles as of one moment. Deleted and suppressed users are never read.',
      },
      {
        title: 'Columns',
        text: '`profile_id` is the primary key. `user_id` and `anonymous_id` are the first that was seen. `email` and `phone` are the traits, or the identifiers where there is no such trait. Every other trait, computed ones included, is a column of its name.',
      },
      {
        title: 'When people leave',
        text: 'To remove who left an audience from a destination, use the mode **Full**. While an audience is paused, its members stay as they were. A run of an audience that failed, or that has not been computed yet, fails and sends nothing.',
      },
    ],
  },
  settings: defineSettings({}),
  open: async ({ people }) => {
    if (people === undefined) throw new ConfigurationError('Audiences and profiles cannot be read here')
    return people()
  },
})
