import { openCluster } from './cluster.ts'
import type { KafkaOptions } from './options.ts'

/** Resolves if a broker responds within a time, ms. Otherwise rejects with its error, or the cause of the failure. */
export const requireKafkaAnswer = async (options: KafkaOptions, ms: number): Promise<void> => {
  const cluster = openCluster(options)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms / 1000} seconds`)), ms)
  try {
    await Promise.race([cluster.brokers(), late.promise])
  } finally {
    clearTimeout(timer)
    cluster.close()
  }
}
