// Preloaded by a test that moves the product's clock. In the process and each of its threads, `Date.now` is ahead by
// the milliseconds in a file, whose path is in the query of this module's URL.
import { readFileSync } from 'node:fs'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''
const machine = Date.now
let ahead = 0
const look = (): void => {
  try {
    ahead = Number(readFileSync(file, 'utf8'))
  } catch {
    // The product's folder was removed when the product ended.
  }
}
look()
setInterval(look, 50).unref()
Date.now = () => machine() + ahead
