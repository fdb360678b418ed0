import { type AudienceQuery, methods } from '@tributary/contract'
import { audienceIds, destinationIds, profileIds, workspaceIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

const underWay = (states: readonly { state: string }[]): boolean =>
  states.some(({ state }) => state === 'preparing' || state === 'computing')

/** Pauses between reads, in ms. The value `soon` is for audiences that are being computed. */
const looks = { soon: 1_000, page: 5_000, explanation: 10_000, later: 30_000 }

/** The audiences of a workspace, newest first. */
export const audiencesQuery = (workspace: string) =>
  rowsQuery(methods.audiences.list, { params: workspaceIds(workspace) }, ({ audiences }) => audiences, {
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => (underWay(data ?? []) ? looks.soon : looks.later),
  })

/** One audience by resource name. */
export const audienceQuery = (audience: string) =>
  query(
    methods.audiences.get,
    { params: audienceIds(audience) },
    {
      staleTime: 0,
      refetchInterval: ({ state: { data } }) => (data !== undefined && underWay([data]) ? looks.soon : looks.page),
    },
  )

/** Why a profile (a resource name) is in an audience or not. */
export const audienceExplanationQuery = (audience: string, profile: string) =>
  query(
    methods.audiences.explain,
    { params: audienceIds(audience), query: { profile } },
    { staleTime: 0, refetchInterval: looks.explanation },
  )

/** The audiences whose entries and exits a destination receives. */
export const destinationAudiencesQuery = (destination: string) =>
  query(
    methods.audiences.listOfDestination,
    { params: destinationIds(destination), query: { page_size: 1000 } },
    { staleTime: 0, read: ({ audiences }) => audiences },
  )

/** The destinations of an audience, and those that could be connected. */
export const audienceDestinationsQuery = (audience: string) =>
  query(
    methods.audiences.listDestinations,
    { params: audienceIds(audience), query: { page_size: 1000 } },
    {
      staleTime: 0,
      refetchInterval: ({ state: { data } }) =>
        data?.destinations.some(({ state }) => state === 'filling') ? looks.soon : looks.later,
    },
  )

/** Reads the audiences of a workspace that contain a profile, each with the time of entry. */
export const profileAudiencesQuery = (profile: string) =>
  rowsQuery(methods.profiles.listAudiences, { params: profileIds(profile) }, ({ audiences }) => audiences, {
    staleTime: 0,
    refetchInterval: looks.later,
  })

/** One version of an audience with its query; a version never changes. */
export const audienceVersionQuery = (audience: string, version: number) =>
  query(
    methods.audiences.getVersion,
    { params: { ...audienceIds(audience), version: String(version) } },
    { staleTime: Number.POSITIVE_INFINITY },
  )

/** Time in ms without typing before the profiles of a query are counted. */
const typingMs = 400

/** Reads the profiles that an audience would have now. With `estimate`, their number is estimated if there are many. */
export const audiencePreviewQuery = (workspace: string, tree: AudienceQuery, { estimate }: { estimate: boolean }) =>
  query(
    methods.audiences.preview,
    { params: workspaceIds(workspace), body: { query: tree, estimate } },
    // No further wait: the exact number is read after the estimate.
    { staleTime: 10_000, ...(estimate ? { wait: typingMs } : {}) },
  )

export type SuggestionKind = 'event' | 'property' | 'trait' | 'property_value' | 'trait_value'

/** Reads names and values that were received. */
export const suggestionsQuery = (workspace: string, asked: { kind: SuggestionKind; event?: string; name?: string }) =>
  query(
    methods.audiences.suggest,
    { params: workspaceIds(workspace), query: asked },
    { wait: typingMs, staleTime: 60_000, read: ({ suggestions }) => suggestions },
  )
