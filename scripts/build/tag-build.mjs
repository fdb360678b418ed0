import { join } from 'node:path'

/**
 * How the tag for web sites is built: one script, in which collection puts the key of a source. Browsers of the last five years run it.
 *
 * @param {string} root of the repository
 * @returns {import('vite').InlineConfig}
 */
export const tagBuild = (root) => ({
  root: join(root, 'apps/web'),
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2020',
    lib: { entry: 'src/tag/main.ts', formats: ['iife'], name: 'tributaryTag', fileName: () => '.tag.js' },
  },
})
