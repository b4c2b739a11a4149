/* A shared library that is no plugin. */
int topk_backend_is_not_here(void);

int topk_backend_is_not_here(void)
{
    return 0;
}
