// Loaded before everything else by `--import`: what the product imports as `@tributary/connectors` is `rebased-connectors.ts`.
import { registerHooks } from 'node:module'

const replaced = new URL('./rebased-connectors.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@tributary/connectors' ? { url: replaced, shortCircuit: true } : next(specifier, context),
})
