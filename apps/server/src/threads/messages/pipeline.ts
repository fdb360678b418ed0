import type { LogEntry, LogPosition, ProducerSequence, ProducerStamp } from '@tributary/storage'
import { z } from 'zod'
import { type Messages, nothing, positions, refresh, trusted } from './message.ts'

const ofProducer = z.object({ workspaceId: z.string(), producer: z.string() })

/**
 * Messages to the pipeline. Processes of two adjacent versions send them to each other (ADR 73), so a change of their
 * names and forms takes two versions.
 */
export const pipelineMessages = {
  refresh,
  /** Appends the notices about a privacy request to the stream, for the destinations of its workspace. */
  'tell-destinations': { request: z.object({ workspaceId: z.string(), requestId: z.string() }), answer: nothing },
  /** Appends a group to the stream; the response is that of `LogWriter.appendGroup`. */
  'stream-append': {
    request: trusted<{ workspaceId: string; entries: readonly LogEntry[]; stamp: ProducerStamp | undefined }>(),
    answer: trusted<LogPosition | undefined>(),
  },
  /** Begins an epoch of a producer of the stream. */
  'stream-begin-epoch': { request: ofProducer, answer: trusted<number>() },
  /** Returns the last groups of a producer of the stream. */
  'stream-last-sequences': { request: ofProducer, answer: trusted<ProducerSequence[]>() },
  /** Trims the stream; returns its remaining bytes. */
  'stream-trim': { request: trusted<readonly LogPosition[]>(), answer: z.number() },
  /**
   * Learns the message IDs of a workspace. The response is whether this is done; if not, the caller sends the request
   * again. For `places` see `formatRecordPlaces`. An earlier version sent only a time.
   */
  refill: {
    request: z.object({
      workspaceId: z.string(),
      since: z.number().optional(),
      places: z.string().optional(),
      run: z.string(),
    }),
    answer: z.boolean(),
  },
  /** Returns the positions in the log of requests before which every event is stored. */
  positions: { request: nothing, answer: positions },
  /** Returns the time in ms for which the pipeline has waited for the event store; 0 if it does not wait. */
  waited: { request: nothing, answer: z.number() },
} satisfies Messages

export type PipelineMessages = typeof pipelineMessages
