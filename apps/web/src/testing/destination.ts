import type { Destination } from '@tributary/contract'

/** A ready destination for tests, with the given parts. */
export const testDestination = ({
  app,
  ...part
}: Partial<Omit<Destination, 'app'>> & { app?: Partial<Destination['app']> } = {}): Destination => {
  const name = 'workspaces/w1/destinations/d1'
  return {
    name,
    title: 'Analysts',
    app: {
      name: `${name}/app`,
      catalog_app: 'catalogDestinations/clickhouse',
      title: 'ClickHouse',
      display_name: 'ClickHouse',
      docs_url: '',
      instance_count: 1,
      extra: { app_icon: '' },
      settings: [],
      people_lists: null,
      abilities: [],
      ...app,
    },
    state: 'ready',
    missing_settings: [],
    enabled: true,
    consent_categories: [],
    grant: null,
    create_time: '2026-01-01T00:00:00Z',
    update_time: '2026-01-01T00:00:00Z',
    ...part,
  }
}
