import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type DeliveryStatus, methods, type ParkedDelivery } from '@tributary/contract'
import { call } from './client.ts'
import { ApiError } from './errors.ts'
import { destinationIds, sourceIds, userIds, workspaceIds } from './names.ts'
import { product } from './query-client.ts'

/** Largest page of a list, and how many pages of it a screen reads at most. */
const pageSize = 1000
const maxPages = 10

/** Every row of a list, page after page, up to 10,000. */
export const everyPage = async <Row>(
  read: (page: { page_size: number; page_token: string }) => Promise<{ rows: Row[]; next: string }>,
): Promise<Row[]> => {
  const rows: Row[] = []
  let token = ''
  for (let page = 0; page < maxPages; page++) {
    const answer = await read({ page_size: pageSize, page_token: token })
    rows.push(...answer.rows)
    token = answer.next
    if (token === '') break
  }
  return rows
}

/** Cache keys. A key's prefix stands for everything below it. */
export const keys = {
  config: () => ['config'] as const,
  user: (user: string) => ['user', user] as const,
  memberships: (user: string) => ['memberships', user] as const,
  sessions: (user: string) => ['sessions', user] as const,
  organization: (organization: string) => ['organization', organization] as const,
  members: (organization: string) => ['members', organization] as const,
  invitations: (organization: string) => ['invitations', organization] as const,
  invitationLinks: (organization: string) => ['invitationLinks', organization] as const,
  workspaces: (user: string) => ['workspaces', user] as const,
  workspace: (workspace: string) => ['workspace', workspace] as const,
  catalogSources: (workspace: string) => ['catalogSources', workspace] as const,
  catalogSource: (workspace: string, app: string) => ['catalogSources', workspace, app] as const,
  catalogDestinations: (workspace: string) => ['catalogDestinations', workspace] as const,
  catalogDestination: (workspace: string, app: string) => ['catalogDestinations', workspace, app] as const,
  sources: (workspace: string) => ['sources', workspace] as const,
  source: (source: string) => ['source', source] as const,
  writekeys: (source: string) => ['writekeys', source] as const,
  dropped: (source: string) => ['dropped', source] as const,
  refused: (source: string) => ['refused', source] as const,
  unownedRefused: () => ['unownedRefused'] as const,
  events: (parent: string) => ['events', parent] as const,
  event: (event: string) => ['event', event] as const,
  destinations: (workspace: string) => ['destinations', workspace] as const,
  destination: (destination: string) => ['destination', destination] as const,
  /** Attempts and what is held. */
  deliveries: (destination: string) => ['deliveries', destination] as const,
  connections: (workspace: string) => ['connections', workspace] as const,
  joinable: (user: string) => ['joinable', user] as const,
  usage: (organization: string) => ['usage', organization] as const,
  notifications: (user: string) => ['notifications', user] as const,
  onboarding: (user: string, token: string) => ['onboarding', user, token] as const,
  realtime: () => ['realtime'] as const,
}

/** What is configured on the server; read once and kept. */
export const configQuery = () =>
  queryOptions({
    ...product,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryKey: keys.config(),
    queryFn: ({ signal }) => call(methods.config.get, { signal }),
  })

export const userQuery = (user: string) =>
  queryOptions({
    ...product,
    queryKey: keys.user(user),
    queryFn: ({ signal }) => call(methods.users.get, { params: userIds(user), signal }),
  })

export const membershipsQuery = (user: string) =>
  queryOptions({
    ...product,
    queryKey: keys.memberships(user),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.memberships.list, { params: userIds(user), query, signal })
        return { rows: answer.memberships, next: answer.next_page_token }
      }),
  })

/** Not cached: every use asks the server again. */
export const workspacesQuery = (user: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    gcTime: 0,
    queryKey: keys.workspaces(user),
    queryFn: ({ signal }) =>
      everyPage(async (page) => {
        const answer = await call(methods.workspaces.list, { query: { user, ...page }, signal })
        return { rows: answer.workspaces, next: answer.next_page_token }
      }),
  })

export const workspaceQuery = (workspace: string) =>
  queryOptions({
    ...product,
    staleTime: 60_000,
    queryKey: keys.workspace(workspace),
    queryFn: ({ signal }) => call(methods.workspaces.get, { params: workspaceIds(workspace), signal }),
  })

export const catalogSourcesQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogSources(workspace),
    queryFn: async ({ signal }) =>
      (
        await call(methods.catalogSources.list, {
          params: workspaceIds(workspace),
          query: { page_size: pageSize },
          signal,
        })
      ).catalog_sources,
  })

/** `app` is the slug of the entry. */
export const catalogSourceQuery = (workspace: string, app: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogSource(workspace, app),
    queryFn: ({ signal }) => call(methods.catalogSources.get, { params: { ...workspaceIds(workspace), app }, signal }),
  })

export const catalogDestinationsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogDestinations(workspace),
    queryFn: async ({ signal }) =>
      (
        await call(methods.catalogDestinations.list, {
          params: workspaceIds(workspace),
          query: { page_size: pageSize },
          signal,
        })
      ).catalog_destinations,
  })

export const catalogDestinationQuery = (workspace: string, app: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogDestination(workspace, app),
    queryFn: ({ signal }) =>
      call(methods.catalogDestinations.get, { params: { ...workspaceIds(workspace), app }, signal }),
  })

export const sourcesQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.sources(workspace),
    queryFn: ({ signal }) =>
      everyPage(async (page) => {
        const answer = await call(methods.sources.list, {
          params: workspaceIds(workspace),
          query: { target_product: 'CDP', ...page },
          signal,
        })
        return { rows: answer.sources, next: answer.next_page_token }
      }),
  })

export const sourceQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.source(source),
    queryFn: ({ signal }) => call(methods.sources.get, { params: sourceIds(source), signal }),
  })

export const writekeysQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.writekeys(source),
    queryFn: async ({ signal }) => {
      const { workspace } = sourceIds(source)
      return (
        await call(methods.writekeys.list, { params: { workspace }, query: { source, page_size: pageSize }, signal })
      ).writekeys
    },
  })

/** For platform admins: what was refused without a source to show it on. */
export const unownedRefusedQuery = () =>
  queryOptions({
    ...product,
    queryKey: keys.unownedRefused(),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) =>
      (await call(methods.refusedRequests.listUnowned, { query: { page_size: 200 }, signal })).refused_requests,
  })

export const refusedQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.refused(source),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) =>
      (
        await call(methods.refusedRequests.listBySource, {
          params: sourceIds(source),
          query: { page_size: 200 },
          signal,
        })
      ).refused_requests,
  })

/** Accepted events of a source that were left out in the last 24 hours, by reason. */
export const droppedQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.dropped(source),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) =>
      (await call(methods.droppedEvents.listBySource, { params: sourceIds(source), query: { page_size: 200 }, signal }))
        .dropped_events,
  })

/** The newest 50 events of a source. */
export const sourceEventsQuery = (source: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.events(source),
    queryFn: async ({ signal }) =>
      (await call(methods.events.listBySource, { params: sourceIds(source), query: { page_size: 50 }, signal })).events,
  })

/** The newest events of a workspace. */
export const workspaceEventsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.events(workspace),
    queryFn: async ({ signal }) =>
      (await call(methods.events.list, { params: workspaceIds(workspace), query: { page_size: 8 }, signal })).events,
  })

/** One event whole. A live event is stored up to about a second after it is shown, so a 404 is asked again for 5 s. */
export const eventQuery = (workspace: string, event: string) =>
  queryOptions({
    ...product,
    queryKey: keys.event(`${workspace}/events/${event}`),
    retry: (failures, error) => error instanceof ApiError && error.status === 404 && failures < 12,
    retryDelay: 400,
    queryFn: ({ signal }) => call(methods.events.get, { params: { ...workspaceIds(workspace), event }, signal }),
  })

export const destinationsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.destinations(workspace),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.destinations.list, { params: workspaceIds(workspace), query, signal })
        return { rows: answer.destinations, next: answer.next_page_token }
      }),
  })

export const destinationQuery = (destination: string) =>
  queryOptions({
    ...product,
    queryKey: keys.destination(destination),
    queryFn: ({ signal }) => call(methods.destinations.get, { params: destinationIds(destination), signal }),
  })

/** Attempts of a destination, newest first, by pages of 50; `status` '' means any. */
export const deliveriesQuery = (destination: string, status: DeliveryStatus | '') =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(destination), 'attempts', status],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.deliveries.list, {
        params: destinationIds(destination),
        query: { page_size: 50, page_token: pageParam, ...(status === '' ? {} : { status }) },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.pages.length > 1
        ? false
        : (data?.pages[0]?.waiting.event_count ?? 0) > 0
          ? 2_000
          : 5_000,
  })

/** What is held for a destination in one state, latest first, by pages of 50. */
export const parkedQuery = (destination: string, state: ParkedDelivery['state']) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(destination), 'parked', state],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.deliveries.listParked, {
        params: destinationIds(destination),
        query: { page_size: 50, page_token: pageParam, state },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000),
  })

/** All connections of a workspace. */
export const connectionsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.connections(workspace),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.connections.list, { params: workspaceIds(workspace), query, signal })
        return { rows: answer.connections, next: answer.next_page_token }
      }),
  })

/** The user's inbox, newest first, by pages of 20, and how many in it are unread; read again every 30 seconds. */
export const notificationsQuery = (user: string) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.notifications(user),
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.notifications.list, {
        params: userIds(user),
        query: { page_size: 20, page_token: pageParam },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: 30_000,
  })

/** Whom and which organisation an onboarding link is for; read once, as a link may be used meanwhile. */
export const startOnboardingQuery = (user: string, token: string) =>
  queryOptions({
    ...product,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryKey: keys.onboarding(user, token),
    queryFn: ({ signal }) =>
      call(methods.users.startOnboarding, { params: { user }, query: { onboarding_token: token }, signal }),
  })

export const realtimeQuery = () =>
  queryOptions({
    ...product,
    staleTime: Number.POSITIVE_INFINITY,
    queryKey: keys.realtime(),
    queryFn: ({ signal }) => call(methods.realtime.getConfig, { signal }),
  })
