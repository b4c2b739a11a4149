/* A shared library that is not a plugin. */
int topk_backend_is_not_here(void);

int topk_backend_is_not_here(void)
{
    return 0;
}
