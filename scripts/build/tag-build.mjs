import { join } from 'node:path'

/**
 * Returns the Vite configuration of the tag for websites. The build is one script, into which collection inserts the
 * key of a source. Browsers of the last five years can run the script.
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
