import {
  type Batching,
  createLifetime,
  type DestinationDefinition,
  grantProblem,
  type OAuth2Client,
  type Settings,
  validatePartialSettings,
  validateSettings,
} from '@tributary/connector-kit'
import type { DestinationEntry } from '../ports.ts'
import { createGate, type Gate } from './gate.ts'
import { type Bucket, createBucket } from './rate-limit.ts'
import type { Share } from './shares.ts'
import type { WorkerContext } from './worker-context.ts'

/** Everything that a worker needs to send, prepared from the cached entry after each change. */
export type Ready = {
  definition: DestinationDefinition
  settings: Settings
  batching: Batching
  gate: Gate
  /** Maximum number of requests in flight. */
  concurrency: number
  /** Whether a failed event blocks the events behind it. */
  ordered: boolean
  bucket: Bucket | undefined
  /** The OAuth 2 client of the destination's grant, if it needs one. */
  client: OAuth2Client | undefined
  /** The lifetime of the connector with these settings. */
  lifetime: ReturnType<typeof createLifetime>
}

export type Readiness = {
  /**
   * Prepares the worker from the entry; `problem` is the reason, for users, why it cannot send. Fast if nothing
   * changed.
   */
  look(entry: DestinationEntry): { ready: Ready | undefined; problem: string }
  /** The last result of `look`. */
  ready(): Ready | undefined
}

/**
 * Returns the parts of an entry that the gate uses, as text. The configuration cache makes new objects of all entries
 * when one changes, so objects cannot be compared.
 */
const gateText = (entry: DestinationEntry): string => {
  const { title, mappings, presetVersion, consentCategories, filters, signals, personData } = entry
  const parts = [title, mappings ?? presetVersion, consentCategories, [...filters], [...(signals ?? [])], personData]
  return JSON.stringify(parts)
}

/** The reason why a destination cannot send with its settings: they are incomplete, or break a rule of this version. */
const settingsProblem = (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  errors: Readonly<Record<string, string>>,
): string => {
  const partial = validatePartialSettings(definition, settings)
  return partial.ok
    ? `Not set up yet. Missing: ${partial.missing.join(', ')}`
    : `The settings are not valid: ${Object.keys(errors).join(', ')}`
}

/** The reason why a destination cannot send: its app now sends secrets to other hosts than those they were entered for. */
const secretsProblem = ({ settings: { fields } }: DestinationDefinition, secrets: readonly string[]): string => {
  const labels = secrets.map((name) => fields.find((field) => field.name === name)?.label ?? name)
  return `A new version sends secrets to another host. Enter them again: ${labels.join(', ')}`
}

const turnProblem: Readonly<Record<Share['turn'], string>> = {
  mine: '',
  spread: 'It takes one request at a time, and its workspace is in several partitions: put that into one',
  later: 'It takes one request at a time: events from when its workspace was in several partitions are sent first',
}

/**
 * Follows the cached entry of one destination. Prepares settings and gate again only when their own parts change, and
 * the rate limit only when the rate changes.
 */
export const createReadiness = (
  context: Pick<WorkerContext, 'connectors' | 'forgotten' | 'settings' | 'shares'>,
): Readiness => {
  let looked: { entry: DestinationEntry; share: Share; settings: string; gate: string } | undefined
  let ready: Ready | undefined
  let problem = ''
  /** The reason why the grant of the destination is not usable. */
  let ungranted = ''
  /** The reason why this delivery waits while other deliveries send, if only one request at a time is allowed. */
  let waits = ''
  let rate: { text: string; bucket: Bucket | undefined } = { text: '', bucket: undefined }

  const bucketOf = (definition: DestinationDefinition, settings: Settings, among: number): Bucket | undefined => {
    const whole = definition.rate?.(settings)
    const limit = whole && { ...whole, requests: whole.requests / among }
    const text = limit === undefined ? '' : `${limit.requests}/${limit.perMs}`
    if (text !== rate.text) rate = { text, bucket: limit === undefined ? undefined : createBucket(limit) }
    return rate.bucket
  }

  /** Returns this delivery's share of the limits of the destination. */
  const limitsOf = (definition: DestinationDefinition, settings: Settings, { among }: Share) => {
    const concurrency = definition.concurrency ?? context.settings.concurrency
    const isOrdered = definition.ordered?.(settings) === true
    return {
      concurrency: isOrdered ? 1 : Math.max(1, Math.floor(concurrency / among)),
      bucket: bucketOf(definition, settings, among),
    }
  }

  const make = (entry: DestinationEntry, share: Share): void => {
    const definition = context.connectors.get(entry.app)
    const parsed = definition === undefined ? undefined : validateSettings(definition, entry.settings)
    void ready?.lifetime.end()
    ready = undefined
    problem = ''
    if (definition === undefined || parsed === undefined) problem = `There is no connector ${entry.app}`
    else if ((entry.secretsToEnter ?? []).length > 0) problem = secretsProblem(definition, entry.secretsToEnter ?? [])
    else if (!parsed.ok) problem = settingsProblem(definition, entry.settings, parsed.errors)
    else {
      const { settings } = parsed
      ready = {
        definition,
        settings,
        batching: definition.batching(settings),
        gate: createGate(definition, entry, context.forgotten),
        ordered: definition.ordered?.(settings) === true,
        ...limitsOf(definition, settings, share),
        client: definition.oauth2?.(settings),
        lifetime: createLifetime(),
      }
    }
  }

  return {
    look: (entry) => {
      const share = context.shares.of(entry)
      if (looked?.entry === entry && looked.share === share) return { ready, problem: problem || ungranted || waits }
      const settings = JSON.stringify([entry.app, entry.settings, entry.secretsToEnter])
      const gate = gateText(entry)
      const before = looked
      looked = { entry, share, settings, gate }
      if (before?.settings !== settings) make(entry, share)
      else if (ready !== undefined)
        ready = {
          ...ready,
          ...(before.gate === gate ? {} : { gate: createGate(ready.definition, entry, context.forgotten) }),
          ...(before.share === share ? {} : limitsOf(ready.definition, ready.settings, share)),
        }
      waits = ready?.definition.exclusive === true ? turnProblem[share.turn] : ''
      ungranted = ready?.client === undefined ? '' : grantProblem(ready.client, entry.grant)
      return { ready, problem: problem || ungranted || waits }
    },
    ready: () => ready,
  }
}
