import { hash, type Options, verify } from '@node-rs/argon2'
import { AppError } from '@tributary/kernel'

// The first recommendation of OWASP for Argon2id (Password Storage Cheat Sheet): 19 MiB, two passes, one lane.
const ownCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const atOnce = 4
const waitingAtMost = 100

export type Passwords = {
  /** Hashes a password with Argon2id and a random salt. Returns the PHC text. */
  hash(password: string): Promise<string>
  /** Whether the password matches the stored hash. If there is no hash, takes the same time and resolves to false. */
  verify(stored: string | null, password: string): Promise<boolean>
}

/**
 * Makes a hasher that runs a few hashes at once (19 MiB each, unless the cost is another). It throws 503 if too many
 * calls wait.
 */
export const createPasswords = (
  cost: Required<Pick<Options, 'memoryCost' | 'timeCost' | 'parallelism'>> = ownCost,
): Passwords => {
  let running = 0
  const waiting: (() => void)[] = []
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= waitingAtMost)
        throw new AppError(503, 'OVERLOADED', 'Too many logins at once; try again in a moment', { retry_after: '2' })
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    running++
    try {
      return await work()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
  let decoy: Promise<string> | undefined
  return {
    hash: (password) => limited(() => hash(password, cost)),
    async verify(stored, password) {
      decoy ??= hash('no password has this hash', cost)
      const against = stored ?? (await decoy)
      const equal = await limited(() => verify(against, password))
      return equal && stored !== null
    },
  }
}
