/** Error codes of Kafka's protocol that are handled (https://kafka.apache.org/protocol#protocol_error_codes). */
export const codes = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  messageTooLarge: 10,
  recordListTooLarge: 18,
  topicDenied: 29,
  groupDenied: 30,
  clusterDenied: 31,
  topicExists: 36,
  outOfOrder: 45,
  duplicateSequence: 46,
  producerEpochOver: 47,
  unknownProducerMapping: 49,
  transactionalIdDenied: 53,
  unknownProducer: 59,
  invalidRecord: 87,
  producerFenced: 90,
} as const

/** Errors that are not retried, since they do not disappear by themselves. */
const final = new Set<number>([
  codes.messageTooLarge,
  codes.recordListTooLarge,
  codes.topicDenied,
  codes.groupDenied,
  codes.clusterDenied,
  codes.transactionalIdDenied,
  codes.invalidRecord,
])
/** A newer producer with this name has begun. */
const fenced = new Set<number>([codes.producerEpochOver, codes.producerFenced])
/** Kafka has lost the state of this producer. */
const lost = new Set<number>([
  codes.outOfOrder,
  codes.duplicateSequence,
  codes.unknownProducer,
  codes.unknownProducerMapping,
])

/** The meaning of a response code for a request. */
export const meaningOf = (code: number): 'done' | 'again' | 'refused' | 'fenced' | 'lost' =>
  code === codes.none
    ? 'done'
    : final.has(code)
      ? 'refused'
      : fenced.has(code)
        ? 'fenced'
        : lost.has(code)
          ? 'lost'
          : 'again'

/** An error response of Kafka, by its code. */
export class KafkaAnswer extends Error {
  readonly code: number
  constructor(code: number, about: string) {
    super(`Kafka answered ${code} (https://kafka.apache.org/protocol#protocol_error_codes): ${about}`)
    this.name = 'KafkaAnswer'
    this.code = code
  }
}

/**
 * Thrown with a sentence that explains what an operator has to change: missing topics, wrong settings, missing
 * permissions, or unreachable brokers.
 */
export class KafkaUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KafkaUnusable'
  }
}

/** Thrown if another process has opened the log for writing since. */
export class WriterReplaced extends KafkaUnusable {
  constructor(topic: string) {
    super(`Another process writes ${topic} now: only one process at a time can do the work of this prefix of topics`)
    this.name = 'WriterReplaced'
  }
}
