import { resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type Config, readConfig } from '../apps/server/src/config/config.ts'
import { helpOf, tasks } from './launch/tasks.mjs'

/** Thrown for a command line that cannot be parsed. */
class UsageError extends Error {}

/** The working directory of the user. Commands run in the checkout, wherever npm was called. */
const userFolder = process.env.INIT_CWD ?? process.cwd()

/** Resolves a path given by the user against the user's working directory. */
export const userPath = (path: string): string => resolve(userFolder, path)

/** Returns the configuration from the environment. */
export const configOf = (): Config => readConfig(process.env)

/**
 * Parses the command's options and at most `words` arguments after them. @throws for any other argument; `runCommand`
 * reports the error
 */
export const given = <T extends NonNullable<ParseArgsConfig['options']>>(options: T, words: number) => {
  try {
    const found = parseArgs({ options, allowPositionals: true })
    if (found.positionals.length > words) throw new Error(`'${found.positionals[words]}' is too much`)
    return found
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Ends the command because of an invalid call. */
export const misused = (message: string): never => {
  throw new UsageError(message)
}

/**
 * Runs a root command. A failure prints only its message and ends the command with code 1; an invalid call prints its
 * message and the help, and ends the command with code 2.
 */
export const runCommand = async (name: string, run: () => Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof UsageError) {
      console.error(`${message}\n\n${helpOf(name, tasks[name] ?? { script: '', does: '' })}`)
      process.exit(2)
    }
    console.error(message)
    process.exit(1)
  }
  process.exit(0)
}
