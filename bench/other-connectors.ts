// Loaded before everything else by `--import`: what the product imports as `@tributary/connectors` is the module that
// BENCH_CONNECTORS names, an address of a file.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@tributary/connectors' && process.env.BENCH_CONNECTORS !== undefined
      ? { url: process.env.BENCH_CONNECTORS, shortCircuit: true }
      : next(specifier, context),
})
