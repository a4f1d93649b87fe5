import type { Express } from 'express'
import { ApiError } from '../../schema/errors.ts'
import type { Route } from './route.ts'

/** Responds 405 if a path exists without the method of the request. Called after the routes are mounted. */
export function refuseOtherMethods(
  app: Express,
  routes: readonly Route[],
  isMeant: (routesOfPath: readonly Route[]) => boolean,
): void {
  for (const path of new Set(routes.map(each => each.path))) {
    const routesOfPath = routes.filter(each => each.path === path)
    if (!isMeant(routesOfPath)) continue
    const own = routesOfPath.map(({ method }) => method)
    const allow = own.includes('GET') ? [...own, 'HEAD'] : own
    // `app.all` would create a layer for each HTTP method, which takes 60 ms of CPU at each start.
    app.route(path).all(({ method }) => {
      throw new ApiError(405, 'MethodNotAllowed', `${method} is not allowed for ${path}: use ${allow.join(', ')}`, {
        allow,
      })
    })
  }
}
