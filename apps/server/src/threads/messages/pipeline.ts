import type { LogEntry, LogPosition, ProducerSequence, ProducerStamp } from '@tributary/storage'
import { z } from 'zod'
import { type Messages, nothing, positions, refresh, trusted } from './message.ts'

const ofProducer = z.object({ workspaceId: z.string(), producer: z.string() })

/**
 * Messages to the pipeline. Processes of two adjacent versions send them to each other (ADR 73): their names and forms
 * change over two versions.
 */
export const pipelineMessages = {
  refresh,
  /** Appends the notices about a privacy request to the stream, for the destinations of its workspace. */
  'tell-destinations': { request: z.object({ workspaceId: z.string(), requestId: z.string() }), answer: nothing },
  /** Appends a group to the stream; answers as `LogWriter.appendGroup`. */
  'stream-append': {
    request: trusted<{ workspaceId: string; entries: readonly LogEntry[]; stamp: ProducerStamp | undefined }>(),
    answer: trusted<LogPosition | undefined>(),
  },
  /** Begins an epoch of a producer of the stream. */
  'stream-begin-epoch': { request: ofProducer, answer: trusted<number>() },
  /** Answers with the last groups of a producer of the stream. */
  'stream-last-sequences': { request: ofProducer, answer: trusted<ProducerSequence[]>() },
  /** Trims the stream; answers with the bytes that it still holds. */
  'stream-trim': { request: trusted<readonly LogPosition[]>(), answer: z.number() },
  /**
   * Learns the message IDs of a workspace, and answers whether that is done: the caller asks again until it is. The
   * `places` are as of `formatRecordPlaces`. An earlier version sent a time alone.
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
  /** Answers with the positions in the log of requests before which every event is stored. */
  positions: { request: nothing, answer: positions },
  /** Answers how long the pipeline has waited for the event store, ms; 0 when it does not wait. */
  waited: { request: nothing, answer: z.number() },
} satisfies Messages

export type PipelineMessages = typeof pipelineMessages
