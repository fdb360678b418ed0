import { expect, test } from 'vitest'
import { findRoute, isCollectPath } from './collect.ts'

test.each([
  ['/v1/batch', 'batch'],
  ['/v1/batch/', 'batch'],
  ['/v1/t', 'single'],
  ['/v1/pixel/track', 'data-pixel'],
  ['/v1/pixel/p', 'data-pixel'],
  ['/pixel/v1/page', 'query-pixel'],
  ['/m', 'discard'],
  ['/v1/webhook', 'webhook'],
  ['/v1/forward', 'forward'],
  ['/sourceConfig/', 'source-config'],
  ['/v1/projects/k/settings', 'settings'],
  ['/analytics.js/v1/k/analytics.min.js', 'script'],
  ['/analytics.js/v1/k/platform/analytics.min.js', 'script'],
  ['/analytics-next/bundles/x.js', 'bundle'],
  ['/tag/v1/k/tag.js', 'tag'],
  ['/tag/v1/k/cookies', 'tag-cookies'],
])('the path %s has a route of the kind %s', (path, kind) => {
  expect(findRoute(path)?.kind).toBe(kind)
  expect(isCollectPath(path)).toBe(true)
})

test.each([
  '/v1',
  '/v1/',
  '/v1/x',
  '/v1/Track',
  '/v1/batch/x',
  '/v1/pixel/buy',
  '/v1/pixel/constructor',
  '/projects/a/b/settings',
  '/analytics.js/v1/a/b/c.js',
  '/tag/v1/k/other.js',
  '/tag/v1/tag.js',
  '//',
])('the path %s has no route', (path) => {
  expect(findRoute(path)).toBeUndefined()
})

test.each([
  '/',
  '/api/x',
  '/workspaces/1/sources',
  '/s/sources',
  '/pusher/auth',
  '/apps/x',
  '/members',
  '/health/live',
  '/v1',
])('the path %s is not handled by collection', (path) => {
  expect(isCollectPath(path)).toBe(false)
})
